"""Employees, bulk input, search and pay runs in Chromium."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.console_user import signed_in_user
from tests.console.sample_company import FEBRUARY
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company, new_nric

pytestmark = pytest.mark.slow


def test_three_errors_of_a_new_employee_are_corrected(owner_window: BrowserWindow, company: Company) -> None:
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/employees/new")
    expect(page.get_by_label("NRIC")).to_be_hidden()  # until the status says that there is one
    page.get_by_label("First name").fill("Mei Ling")
    page.get_by_label("Last name").fill("Tan")
    page.get_by_label("Birthdate").fill("1990-04-12")
    page.get_by_label("Gender").select_option("Female")
    page.get_by_label("Race").select_option("Chinese")
    page.get_by_label("Legal status").select_option("Singapore citizen")
    page.get_by_label("NRIC").fill("S1234567A")
    page.get_by_label("Appointment date").fill("2026-01-01")
    page.get_by_label("Payment method").select_option("GIRO")
    page.get_by_label("Bank", exact=True).select_option("DBS Bank / POSB")
    page.get_by_label("Account number").fill("0052312891")
    page.get_by_label("Branch code").fill("5")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("alert")).to_contain_text("Please correct 3 errors")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("First name")).to_have_value("Mei Ling")
    page.get_by_role("alert").get_by_role("link", name="NRIC").click()
    expect(page.locator("#nric-error")).to_contain_text("wrong check letter")
    page.get_by_label("NRIC").fill(new_nric())
    page.get_by_label("Religion").select_option("No religion")
    page.get_by_label("Branch code").fill("005")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("status")).to_contain_text("Employee saved")
    assert [employee["bank_account"]["branch_code"] for employee in company.listed()] == ["005"]


PASTE = """([grid, text]) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    grid.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def test_pasting_cells_keeps_all_input_when_two_cells_are_invalid(
    owner_window: BrowserWindow, company: Company
) -> None:
    ids = [hired(company, first_name=name) for name in ("Ali", "Bala", "Chen")]
    page = owner_window.page
    owner_window.go(
        f"/companies/{company.id}/bulk_input?wave={company.wave_id}&input=calc.bonus.amount&input=calc.reimbursement.amount"
    )
    first = page.locator("#sheet tbody input").first
    first.focus()
    page.evaluate(PASTE, [first.element_handle(), "1,000\t20.50\nmuch\t30\n-5\t$40\n"])
    expect(page.locator("#status")).to_have_text("6 cells to save")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#sheet td.invalid")).to_have_count(2)
    expect(page.locator("#status")).to_contain_text("2 cells saved. 2 cells invalid")
    expect(page.locator("#sheet tbody tr").nth(1).locator("input").first).to_have_value("much")
    expect(page.locator("#sheet tbody tr").nth(1).locator("input").last).to_have_value("30")
    expect(page.locator("#sheet tbody tr").nth(1).locator(".error")).to_contain_text("must be an amount")
    page.locator("#sheet tbody tr").nth(1).locator("input").first.fill("200")
    page.locator("#sheet tbody tr").nth(2).locator("input").first.fill("5")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#sheet td.saved")).to_have_count(6)
    lines = [_bonus(company, employee_id) for employee_id in ids]
    assert lines == ["1000.00", "200.00", "5.00"]


def _bonus(company: Company, employee_id: int) -> str:
    [slip] = company.member.get(f"/employees/{employee_id}/payslips").json()
    income = company.member.get(f"/payslips/{slip['payslip']['id']}").json()["payslip"]["income"]
    return str(dict(income)["bonus"])


def test_live_search_updates_results_and_keeps_the_focus(owner_window: BrowserWindow, company: Company) -> None:
    for name in ("Nurul", "Wei", "Bala"):
        company.hire(first_name=name)
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/employees")
    page.keyboard.press("/")
    page.keyboard.type("nur")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    expect(page.get_by_label("Search")).to_be_focused()
    expect(page).to_have_url(re.compile("search=nur"))
    page.get_by_label("Search").fill("zzz")
    expect(page.locator("#results")).to_contain_text("No matching employees")


def test_without_javascript_the_main_flows_still_work(browser: Browser, company: Company) -> None:
    hired(company)
    paid(company)
    opened(company, FEBRUARY)
    window = open_window(browser, company.member.service.url, scripts=False)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/employees")
    page.get_by_label("Search").fill("mei")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Mei Ling Tan").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Job title").fill("Baker")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("status")).to_contain_text("Employee saved")
    window.go(f"/companies/{company.id}/payment_runs")
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("link", name="Finalise…").click()
    page.get_by_role("button", name="Finalise 1 payslip").click()
    expect(page.get_by_role("status")).to_contain_text("Pay run finalised")
    window.go(f"/companies/{company.id}/bulk_input")
    assert "This page needs JavaScript" in page.locator("noscript").inner_text()
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out")
    window.context.close()
    assert signed_in_user(company.member).get("/companies").status_code == 200
