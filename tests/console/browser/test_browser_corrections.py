"""A mistake in a closed month, in a real browser: from the wrong salary to the supplementary CPF file."""

from playwright.sync_api import expect

from tests.console.browser.test_browser_flows import PAYS, downloaded
from tests.console.browser.windows import BrowserWindow
from tests.documents import dbs_reader, ezpay_reader
from tests.documents.payment_files.test_files import GIRO
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.running import Service


def test_a_mistake_is_corrected_up_to_the_supplementary_file(window: BrowserWindow, service: Service) -> None:
    company = Company.of(service.new_account(), **PAYS)
    siti = hired(company, "3000.00", first_name="Siti", last_name="Aminah", **GIRO)
    hired(company, "3000.00", first_name="Ravi", last_name="Kumar", **GIRO)
    run_id = paid(company)
    window.sign_in(company.member)
    page = window.page
    filings = f"/companies/{company.id}/filings?month=2026-01"
    page.goto(filings)
    first = ezpay_reader.read(downloaded(page, page.get_by_role("link", name="Download")))
    page.goto(f"/employees/{siti}?tab=pay&enter=basic_salary")
    page.get_by_label("Fixed amount").fill("3300.00")
    page.get_by_label("Valid from").fill("2026-01-01")
    page.get_by_role("button", name="Save").click()
    page.goto(f"/payment_runs/{run_id}")
    expect(page.locator("main")).to_contain_text("You have downloaded the CPF file of the month")
    page.get_by_role("link", name="Correct this pay run").click()
    expect(page.locator("main")).to_contain_text("$3,000.00 paid, $3,300.00 due")
    page.get_by_role("button", name="Open correction").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Correction of the pay run for 31 Jan 2026")
    page.get_by_role("link", name="Finalise…").click()
    page.get_by_role("button", name="Finalise 1 payslip").click()
    page.get_by_role("link", name="Payment files").last.click()
    bank = dbs_reader.read(downloaded(page, page.get_by_role("button", name="Download")))
    assert [payment.fields[11] for payment in bank.payments] == ["Siti Aminah"]
    page.goto(f"/employees/{siti}/retro_proposals")
    expect(page.get_by_role("link", name="Correction that pays it")).to_be_visible()
    page.goto(filings)
    second = ezpay_reader.read(downloaded(page, page.get_by_role("link", name="Download supplementary file")))
    assert (first.amount("01"), second.amount("01")) == (222_000, 11_100)
    assert window.take_page_errors() == []
