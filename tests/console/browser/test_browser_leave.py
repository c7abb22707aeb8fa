"""Leave in a real browser, on a desk and on a phone: officers record, cancel and change; employees ask and withdraw."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.sample_company import CERTIFICATE
from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.running import Member

WIDTHS = (1440, 390)
MAX_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def window_for(browser: Browser, member: Member, width: int) -> BrowserWindow:
    """Open a window of this width, signed in."""
    window = open_window(browser, member.service.url, width=width)
    window.sign_in(member)
    return window


def check_page(page: Page, picture: Path) -> None:
    """Keep a picture of the page, and check that it does not scroll sideways."""
    page.screenshot(path=picture, full_page=True)
    assert page.evaluate(MAX_OVERFLOW) <= 0


@pytest.mark.parametrize("width", WIDTHS)
def test_an_officer_and_an_employee_change_leave(
    browser: Browser, company: Company, tmp_path: Path, width: int
) -> None:
    person = OnLeave.hired(company, first_name="Mei")
    OnLeave.hired(company, first_name="Ana").take("2026-11-24", "unpaid_leave")
    officer = window_for(browser, company.member, width)
    _record_cancel_and_halve(officer.page, person)
    check_page(officer.page, tmp_path / f"officer_{width}.png")
    employee = window_for(browser, company.member.colleague(company.id, "employee", person.id), width)
    _ask_and_upload(employee.page, person)
    check_page(employee.page, tmp_path / f"employee_{width}.png")
    officer.go(f"/companies/{company.id}/leave?month=2026-11")
    expect(officer.page.get_by_text("Ana Tan is away on 24 Nov 2026")).to_be_visible()
    check_page(officer.page, tmp_path / f"team_{width}.png")
    with officer.page.expect_download() as download:
        officer.page.get_by_role("link", name="Medical certificate").click()
    assert download.value.path().read_bytes() == CERTIFICATE
    officer.page.get_by_role("button", name="Approve the leave of Mei Tan").click()
    expect(officer.page.get_by_role("status")).to_contain_text("Leave approved and recorded")
    employee.page.reload()
    employee.page.get_by_role("button", name="Withdraw the request for 24 Nov 2026").click()
    employee.page.get_by_role("button", name="Withdraw leave").click()
    expect(employee.page.get_by_role("status")).to_contain_text("Withdrawal sent for approval")
    assert [window.take_page_errors() for window in (officer, employee)] == [[], []]
    for window in (officer, employee):
        window.context.close()


def _record_cancel_and_halve(page: Page, person: OnLeave) -> None:
    """Record three days, cancel the second and make the third a half day."""
    page.goto(f"/employees/{person.id}?tab=leave")
    expect(page.get_by_label("Hours", exact=True)).to_be_hidden()
    page.get_by_label("Leave type").select_option(label="Unpaid leave")
    page.get_by_label("First day").fill("2026-03-02")
    page.get_by_label("Last day").fill("2026-03-04")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_role("status")).to_contain_text("3 days of leave recorded")
    page.get_by_label("Choose 3 Mar 2026, unpaid leave").check()
    page.get_by_role("button", name="Cancel chosen days").click()
    page.get_by_role("button", name="Cancel the days").click()
    expect(page.get_by_role("status")).to_contain_text("1 day of leave cancelled")
    page.get_by_role("link", name="Edit 4 Mar 2026").click()
    page.get_by_label("Time").select_option(label="Half day")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Leave day changed")
    assert [(day["date"], day["days"]) for day in person.listed()] == [("2026-03-02", 1), ("2026-03-04", 0.5)]


def _ask_and_upload(page: Page, person: OnLeave) -> None:
    """Check a request, send it and add a medical certificate."""
    page.goto(f"/own/{person.id}/leave")
    page.get_by_label("Leave type").select_option(label="Sick leave")
    page.get_by_label("First day").fill("2026-11-24")
    page.get_by_role("button", name="Check balance").click()
    expect(page.locator("#balance")).to_be_in_viewport()
    expect(page.get_by_text("Other leave on these days")).to_be_visible()
    page.get_by_role("button", name="Request leave").click()
    expect(page.get_by_role("status")).to_contain_text("Request for 1 day of sick leave sent")
    page.get_by_label("Leave", exact=True).select_option(label="24 Nov 2026, sick leave (request)")
    file = FilePayload(name="certificate.pdf", mimeType="application/pdf", buffer=CERTIFICATE)
    page.get_by_label("File").set_input_files([file])
    page.get_by_role("button", name="Add certificate").click()
    expect(page.get_by_role("status")).to_contain_text("Medical certificate added")
