"""Paying a run and filing its month, in a real browser: a returned payment, and a second CPF file."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.test_browser_flows import PAYS, downloaded
from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.browser.wording import wording_problems
from tests.documents import dbs_reader, ezpay_reader
from tests.documents.filings.test_submissions import pay_bonus
from tests.documents.payment_files.test_files import GIRO
from tests.payroll.payment_runs.runs import hired, listed, paid, read
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, of_status
from tests.support.running import Service, created


def test_a_run_is_paid_and_a_returned_payment_is_paid_again(window: BrowserWindow, service: Service) -> None:
    company = Company.of(service.new_account(), **PAYS)
    hired(company, first_name="Siti", last_name="Aminah", **GIRO)
    hired(company, "3000.00", first_name="Ravi", last_name="Kumar", **GIRO)
    run_id = paid(company)
    window.sign_in(company.member)
    page = window.page
    page.goto(f"/payment_runs/{run_id}/files")
    expect(page.locator("main")).to_contain_text("Checked against two descriptions of the bank's format")
    page.get_by_label("Payment date").fill("2026-01-30")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Payment date saved")
    bank = dbs_reader.read(downloaded(page, page.get_by_role("button", name="Download")))
    assert {payment.fields[8] for payment in bank.payments} == {"30012026"}
    page.goto(f"/payment_runs/{run_id}/files")
    page.get_by_label("Paid on").fill("2026-01-30")
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.get_by_role("heading", name="Mark as paid on 30 Jan 2026?")).to_be_visible()
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.locator(".steps")).to_contain_text("paid on 30 Jan 2026")
    assert read(company, run_id)["paid_at"]
    page.goto(f"/payment_runs/{run_id}/files")
    returned = page.locator("option", has_text="Ravi Kumar").get_attribute("value")
    page.get_by_label("A payment that the bank returned").select_option(returned)
    page.get_by_role("button", name="Pay again").click()
    expect(page.get_by_role("heading", name="GIRO file for DBS: payments that the bank returned")).to_be_visible()
    again = dbs_reader.read(downloaded(page, page.get_by_role("button", name="Download").last))
    assert [payment.fields[11] for payment in again.payments] == ["Ravi Kumar"]
    page.goto(f"/payment_runs/{run_id}/files?value_date=2026-11-15")
    expect(page.locator("main")).to_contain_text(re.compile("is in the past|is a Sunday"))


def test_a_second_cpf_file_has_what_is_new(window: BrowserWindow, service: Service) -> None:
    company = Company.of(service.new_account(), **PAYS)
    siti = hired(company, first_name="Siti", last_name="Aminah", race="MALAY", religion="ISLAM")
    worker = created(company.post(of_status("FOREIGNER_WP", appointment_date="2026-01-01", religion="ISLAM")))
    enter(company, f"employees/{worker}", "basic_salary", fixed_amount="1200.00")
    enter(company, f"employees/{worker}", "foreign_worker_levy", amount="450.00")
    paid(company)
    window.sign_in(company.member)
    page = window.page
    path = f"/companies/{company.id}/filings?month=2026-01"
    page.goto(path)
    expect(page.locator("main")).to_contain_text("Not submitted")
    expect(page.get_by_role("heading", name="Foreign worker levy for Jan 2026")).to_be_visible()
    expect(page.get_by_role("heading", name="Pay separately")).to_be_visible()
    first = ezpay_reader.read(downloaded(page, page.get_by_role("link", name="Download")))
    expect(page.get_by_role("heading", name="Submitted and current")).to_be_visible()
    pay_bonus(company, [siti], "1000.00")
    page.goto(path)
    expect(page.locator("main")).to_contain_text("The next file has only what is new")
    expect(page.locator("main")).to_contain_text("Changes by employee")
    second = ezpay_reader.read(downloaded(page, page.get_by_role("link", name="Download supplementary file")))
    assert (first.header["advice_code"], second.header["advice_code"]) == ("01", "02")
    assert second.amount("01") == 37_000
    page.goto(path)
    page.get_by_role("button", name="Discard, not sent").click()
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Submission discarded")


@pytest.mark.parametrize(("width", "scripts"), [(1440, True), (390, False)])
def test_the_month_of_two_companies_with_the_keyboard(
    browser: Browser, service: Service, width: int, scripts: bool
) -> None:
    member = service.new_account()
    companies = [Company.of(member, name=name) for name in ("Tampines Bakery", "Yishun Clinic")]
    for company in companies:
        hired(company)
    window = open_window(browser, service.url, width=width, scripts=scripts)
    window.sign_in(member)
    page = window.page
    problems: list[str] = []

    def check_page() -> None:
        problems.extend([*page_problems(page, *BOTH), *wording_problems(page)] if scripts else [])

    window.go("/companies?show=attention")
    check_page()
    for company_name in ("Tampines Bakery", "Yishun Clinic"):
        page.get_by_role("checkbox", name=f"Select {company_name}").press("Space")
    page.get_by_role("button", name="Open pay runs").press("Enter")
    page.get_by_role("button", name="Open selected").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Done in 2 of 2 companies")
    page.get_by_role("link", name="Finalise these pay runs").press("Enter")
    check_page()
    page.get_by_role("checkbox", name="Yishun Clinic").press("Space")
    page.get_by_role("button", name="Finalise selected").press("Enter")
    expect(page.get_by_role("heading", name="Finalise 1 pay run?")).to_be_visible()
    page.get_by_role("button", name="Finalise").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Done in 1 of 1 company")
    assert page.locator("main").evaluate("main => main.scrollWidth <= innerWidth")
    check_page()
    window.go("/companies")
    page.get_by_role("link", name="Select all").press("Enter")
    expect(page.get_by_role("checkbox", name="Select Yishun Clinic")).to_be_checked()
    page.get_by_role("button", name="Release payslips").press("Enter")
    expect(page.locator("main")).to_contain_text("No payslips are waiting to be released")
    page.get_by_role("button", name="Release selected").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Done in 1 of 1 company")
    window.context.close()
    assert window.page_errors == []
    assert problems == []
    runs = [read(company, listed(company)[-1]["id"]) for company in companies]
    assert [(run["finalised"], run["released"]) for run in runs] == [(True, True), (False, False)]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_payment_file_has_the_value_date_that_was_typed(browser: Browser, service: Service, scripts: bool) -> None:
    company = Company.of(service.new_account(), **PAYS)
    hired(company, **GIRO)
    run_id = paid(company)
    window = open_window(browser, service.url, scripts=scripts)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/payment_runs/{run_id}/files")
    expect(page.get_by_role("button", name="Download anyway GIRO file for DBS")).to_be_visible()
    page.get_by_label("Paid on").fill("2026-02-04")
    page.get_by_label("Value date for the bank").fill("2199-12-30")
    bank = dbs_reader.read(downloaded(page, page.get_by_role("button", name="Download")))
    assert {payment.fields[8] for payment in bank.payments} == {"30122199"}
    if scripts:
        expect(page.get_by_role("button", name="Download GIRO file for DBS")).to_be_focused()
        expect(page.get_by_label("Value date for the bank")).to_have_value("2199-12-30")
        expect(page.get_by_label("Paid on")).to_have_value("2026-02-04")
    window.context.close()
    assert window.page_errors == []
