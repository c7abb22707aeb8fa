"""Employees are invited with printed slips, and accept on a phone."""

import re
import secrets

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.support.company import Company

pytestmark = pytest.mark.slow

CODE = re.compile(r"(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}")


@pytest.mark.parametrize("width", [1440, 390])
def test_an_owner_prints_slips_and_an_employee_accepts_on_a_phone(
    owner_window: BrowserWindow, browser: Browser, company: Company, width: int
) -> None:
    employee_id = company.hire(first_name="Siti")
    company.hire(first_name="Wei Ming", email=f"{secrets.token_hex(6)}@example.com")
    page = owner_window.page
    page.set_viewport_size({"width": width, "height": 900})
    owner_window.go(f"/companies/{company.id}/employees")
    page.get_by_role("link", name="Self-service").click()
    expect(page.get_by_role("heading", name="2 employees have not been invited")).to_be_visible()
    page.get_by_role("button", name="Print slips for all…").click()
    expect(page.get_by_role("heading", name="2 employees will get a slip to print")).to_be_visible()
    page.get_by_role("button", name="Create slips").click()
    slip = page.get_by_role("article", name="Siti Tan")
    expect(slip.get_by_role("img", name="QR code")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    match = CODE.search(slip.inner_text())
    assert match

    phone = open_window(browser, company.member.service.url, width=390)
    phone.go("/sign-in")
    phone.page.get_by_role("link", name="Use an invitation code").click()
    phone.page.get_by_label("Code").fill(match[0].lower())
    phone.page.get_by_role("button", name="Continue").click()
    expect(phone.page.get_by_label("Your name")).to_have_value("Siti Tan")
    # Long, because the notice on the next page has it.
    phone.page.get_by_label("Email").fill(f"siti.binte.jamaludin.{secrets.token_hex(6)}@example.com")
    phone.page.get_by_label("Password", exact=False).first.fill("seven green kettles sing")
    phone.page.get_by_label("Repeat password").fill("seven green kettles sing")
    phone.page.get_by_role("button", name="Set password and sign in").click()
    phone.page.wait_for_url(re.compile(f"/own/{employee_id}"))
    expect(phone.page.get_by_role("heading", level=1)).to_contain_text("Your payslips")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.context.close()
    assert phone.page_errors == []

    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("Has access")).to_be_visible()


def test_the_hint_about_branch_codes_is_that_of_the_bank(browser: Browser, company: Company) -> None:
    employee_id = company.hire(first_name="Siti")
    phone = open_window(browser, company.member.service.url, width=390)
    phone.sign_in(company.member.colleague(company.id, "employee", employee_id))
    phone.go(f"/own/{employee_id}/details/edit")
    derived, uob, others = (phone.page.get_by_text(text) for text in ("leave it blank", "UOB: look up", "Other banks:"))
    bank = phone.page.get_by_label("Bank", exact=True)
    phone.page.get_by_label("Payment method").select_option("eft_manual")
    for bank_id, shown in (("7171", derived), ("7375", uob), ("7302", others)):
        bank.select_option(bank_id)
        for hint in (derived, uob, others):
            expect(hint).to_be_visible(visible=hint is shown)
    phone.context.close()
    assert phone.page_errors == []
