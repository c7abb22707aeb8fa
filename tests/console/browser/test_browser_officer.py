"""What officers do in the course of a year, in Chromium, on a wide and on a narrow screen."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.console_user import signed_in_user
from tests.console.test_password_reset import NEW, create_link, token_in
from tests.payroll.payment_runs.runs import hired, opened, paid, payslips, read, until_ready
from tests.payroll.payslips.slips import enter
from tests.support.company import Company

pytestmark = pytest.mark.slow


@pytest.fixture(params=[1440, 390])
def officer(request: pytest.FixtureRequest, browser: Browser, company: Company) -> Iterator[BrowserWindow]:
    """A window of this width in which the owner of the company is signed in."""
    window = open_window(browser, company.member.service.url, width=request.param)
    window.sign_in(company.member)
    yield window
    window.context.close()
    assert window.page_errors == []


def heading(page: Page, text: str) -> None:
    """Wait for the page with this heading."""
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_reopening_says_what_is_affected_and_then_what_changed(officer: BrowserWindow, company: Company) -> None:
    employee_id = hired(company, first_name="Siti", last_name="Aminah")
    run_id = paid(company)
    page = officer.page
    officer.go(f"/payment_runs/{run_id}/accounting")
    page.get_by_role("button", name="Mark as posted").click()
    officer.go(f"/payment_runs/{run_id}")
    page.get_by_role("link", name="Reopen").click()
    heading(page, "Reopen this pay run?")
    for text in (
        "1 payslip becomes a draft again",
        "no longer marked as posted",
        "1 draft of the next period disappears",
    ):
        expect(page.get_by_role("listitem").filter(has_text=text)).to_be_visible()
    page.get_by_role("button", name="Reopen 1 payslip").click()
    expect(page.get_by_role("status").first).to_contain_text("Pay run reopened")
    assert not read(company, run_id)["posted_to_accounting_system"]
    enter(company, f"employees/{employee_id}", "transport_allowance", amount="100.00")
    until_ready(company, run_id)
    officer.go(f"/payment_runs/{run_id}/finalise")
    page.get_by_role("button", name="Finalise 1 payslip").click()
    changes = page.locator("#changes")
    expect(changes).to_contain_text("1 payslip changed since the pay run was last finalised")
    expect(changes.get_by_role("row").filter(has_text="Transport allowance")).to_contain_text("$100.00")
    expect(changes.get_by_role("link", name="Siti Aminah")).to_be_visible()


def test_the_audit_log_says_who_did_what(officer: BrowserWindow, company: Company) -> None:
    siti = hired(company, first_name="Siti", last_name="Aminah")
    hired(company, first_name="Arun", last_name="Nair")
    company.patch(siti, job_title="Supervisor")
    page = officer.page
    officer.go(f"/companies/{company.id}/settings/changes")
    expect(page.get_by_role("row").filter(has_text="added Arun Nair")).to_be_visible()
    page.get_by_label("Employee").fill("siti")
    page.get_by_label("Record").select_option("Employees")
    page.get_by_label("Action").select_option("Changed")
    page.get_by_role("button", name="Filter").click()
    row = page.get_by_role("row").filter(has_text="changed the details of Siti Aminah")
    expect(row).to_contain_text("Job title – → Supervisor")
    expect(row).to_contain_text("with the API")
    expect(page.locator("tbody tr")).to_have_count(1)
    row.get_by_role("link").click()
    heading(page, "Siti Aminah")
    officer.go(f"/companies/{company.id}/settings/changes?employee=siti&kind=calculations")
    page.get_by_role("link", name="added the pay item Basic salary of Siti Aminah").click()
    expect(page.get_by_role("heading", name="Recurring pay items")).to_be_visible()


def test_an_end_of_service_is_undone_and_a_former_employee_is_hired_again(
    officer: BrowserWindow, company: Company
) -> None:
    employee_id = hired(company, first_name="Siti", last_name="Aminah")
    company.leave(employee_id, "2026-01-20")
    page = officer.page
    officer.go(f"/employees/{employee_id}")
    page.locator("summary", has_text="Change or undo end of service").click()
    page.get_by_role("button", name="Undo end of service on 20 Jan 2026").click()
    expect(page.locator("summary", has_text="End service")).to_be_visible()
    company.leave(employee_id, "2026-01-20")
    [former] = company.listed()
    officer.go(f"/companies/{company.id}/employees/new")
    page.get_by_label("Legal status").select_option("Singapore citizen")
    page.get_by_label("NRIC").fill(former["nric"])
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_text("Siti Aminah worked here until 20 Jan 2026.")).to_be_visible()
    page.get_by_role("link", name="Re-hire them").click()
    page.locator("summary", has_text="Re-hire").click()
    page.get_by_label("First day").fill("2026-03-02")
    page.get_by_role("button", name="Re-hire").click()
    expect(page.get_by_role("status")).to_contain_text("Employee re-hired")
    assert [start for start, _ in company.service_of(employee_id)] == ["2026-01-01", "2026-03-02"]


def test_once_off_items_are_apart_from_recurring_ones(officer: BrowserWindow, company: Company) -> None:
    employee_id = hired(company)
    run_id = opened(company)
    [payslip] = payslips(company, run_id)
    enter(company, f"payslips/{payslip['id']}", "reimbursement", amount="500.00")
    until_ready(company, run_id)
    officer.go(f"/employees/{employee_id}?tab=pay")
    page = officer.page
    recurring, once_off = (page.get_by_role("region", name=f"{kind} pay items") for kind in ("Recurring", "Once-off"))
    expect(recurring).to_contain_text("Basic salary")
    expect(recurring).not_to_contain_text("Reimbursement")
    expect(once_off.get_by_role("row").filter(has_text="Reimbursement")).to_contain_text("$500.00")
    once_off.get_by_role("link", name="31 Jan 2026").click()
    page.locator("summary", has_text="CPF, employee's share").click()
    # The explanation starts with one sentence in words.
    expect(page.locator("details[open] .explanation p").first).to_contain_text("20% of $4,200.00")


def test_the_year_ends_with_released_certificates(officer: BrowserWindow, company: Company) -> None:
    hired(company, first_name="Siti", last_name="Aminah")
    paid(company)
    page = officer.page
    officer.go(f"/companies/{company.id}/tax_certificates?year=2026")
    page.get_by_role("button", name="Create certificates").click()
    expect(page.get_by_role("row").filter(has_text="Siti Aminah")).to_contain_text("4,200")
    page.get_by_role("link", name="Open points").click()
    heading(page, "Open points for 2026")
    expect(page.get_by_role("row").filter(has_text="Siti Aminah")).to_be_visible()
    page.get_by_role("link", name="Tax certificates for 2026").click()
    page.get_by_role("button", name="Release all").click()
    expect(page.get_by_role("row").filter(has_text="Siti Aminah")).to_contain_text("Released")


def test_an_owner_gives_a_link_for_a_forgotten_password(officer: BrowserWindow, company: Company) -> None:
    member = company.member.colleague(company.id, "payroll")
    token = token_in(create_link(signed_in_user(company.member), company, member))
    officer.context.clear_cookies()
    officer.go(f"/reset-password?token={token}")
    page = officer.page
    for field in page.locator("input[type=password]").all():
        field.fill(NEW)
    page.get_by_role("button", name="Set password and sign in").click()
    heading(page, company.member.get(f"/clients/{company.id}").json()["client"]["name"])


def test_the_directory_is_sorted_searched_and_opened_by_keyboard(officer: BrowserWindow, company: Company) -> None:
    for first_name, last_name in (("Siti", "Aminah"), ("Arun", "Nair"), ("Wei", "Zhang")):
        company.hire(first_name=first_name, last_name=last_name)
    page = officer.page
    officer.go(f"/companies/{company.id}/employees")
    page.get_by_role("link", name="Number").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[aria-sort=ascending]")).to_contain_text("Number")
    page.get_by_role("link", name="Number").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[aria-sort=descending]")).to_contain_text("Number")
    expect(page.locator("tbody th").first).to_contain_text("Wei")
    page.keyboard.press("/")
    page.keyboard.type("nai")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator("tbody th a").focus()
    page.keyboard.press("Enter")
    heading(page, "Arun Nair")


def test_the_dashboard_says_what_is_late_and_what_it_costs(officer: BrowserWindow, company: Company) -> None:
    hired(company)
    paid(company)
    page = officer.page
    officer.go(f"/companies/{company.id}")
    attention = page.get_by_role("region", name="Needs attention")
    expect(attention.get_by_role("listitem").filter(has_text="CPF file of Jan 2026")).to_contain_text("16 Feb 2026")
    expect(page.locator(".stat", has_text="In service")).to_contain_text("1")
    expect(page.get_by_role("heading", name=re.compile("Payroll cost, last 12 months"))).to_be_visible()
    attention.get_by_role("listitem").filter(has_text="CPF file of Jan 2026").get_by_role("link").click()
    expect(page).to_have_url(re.compile("month=2026-01"))
