"""Import of employees in Chromium: words, marked errors, and the corrected workbook."""

import io
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.test_browser_settings_forms import bring, changed, downloaded
from tests.console.browser.windows import open_window
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company

pytestmark = pytest.mark.slow

BALANCES = "Opening balances"


@pytest.mark.parametrize("width", [1440, 390])
def test_a_workbook_is_corrected_where_it_is_marked(browser: Browser, company: Company, width: int) -> None:
    employee_id = hired(company, first_name="Siti", last_name="Aminah")
    window = open_window(browser, company.member.service.url, scripts=False, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/employees/import")
    with page.expect_download() as exported:
        page.get_by_role("link", name="Download workbook").click()
    words = {"payment_method": "cheque", "gender": "Femal", "job_title": "Cook"}
    bring(page, changed(downloaded(exported.value), words))
    expect(page.get_by_role("alert")).to_contain_text("Siti Aminah (1) · Gender “Femal” · Employees!")
    with page.expect_download() as marked:
        page.get_by_role("link", name="Download with errors marked").click()
    content = downloaded(marked.value)
    sheet: Any = openpyxl.load_workbook(io.BytesIO(content))["Employees"]
    assert [cell.value for row in sheet.iter_rows() for cell in row if cell.comment] == ["Femal"]
    bring(page, changed(content, {"gender": "female"}))
    expect(page.get_by_role("status")).to_contain_text("1 changed")
    employee = company.employee(employee_id)
    assert (employee["payment_method"], employee["gender"], employee["job_title"]) == ("cheque", "F", "Cook")
    window.context.close()


@pytest.mark.parametrize("width", [1440, 390])
def test_opening_balances_of_everyone_come_from_one_workbook(browser: Browser, company: Company, width: int) -> None:
    first = hired(company, first_name="Siti", last_name="Aminah")
    second = hired(company, first_name="Wei", last_name="Ming")
    window = open_window(browser, company.member.service.url, scripts=False, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/settings/take_on")
    page.get_by_role("link", name="Import a workbook").last.click()
    with page.expect_download() as exported:
        page.get_by_role("link", name="Download workbook").click()
    wages = {"ordinary_wages": 31000, "ordinary_wages_subject": 32000}
    bring(page, changed(downloaded(exported.value), wages, sheet=BALANCES))
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Wei Ming (2) · Ordinary wages with CPF “32000” · Opening balances!E4")
    expect(alert).to_contain_text("must not be more than “Ordinary wages”")
    with page.expect_download() as marked:
        page.get_by_role("link", name="Download with errors marked").click()
    content = downloaded(marked.value)
    sheet: Any = openpyxl.load_workbook(io.BytesIO(content))[BALANCES]
    assert [cell.value for row in sheet.iter_rows() for cell in row if cell.comment] == [32000]
    bring(page, changed(content, {"ordinary_wages_subject": 30000}, sheet=BALANCES))
    expect(page.get_by_role("status")).to_contain_text("Opening balances of 1 employee have been saved")
    expect(page.get_by_role("row", name="Wei Ming")).to_contain_text("$31,000.00")
    balances = [
        company.member.get(f"/employees/{employee_id}/take_on_balances").json()["ordinary_wages_subject"]
        for employee_id in (first, second)
    ]
    assert balances == ["0.00", "30000.00"]
    window.context.close()


def test_the_page_with_errors_is_accessible(browser: Browser, company: Company) -> None:
    hired(company)
    window = open_window(browser, company.member.service.url)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/employees/import")
    with page.expect_download() as exported:
        page.get_by_role("link", name="Download workbook").click()
    bring(page, changed(downloaded(exported.value), {"gender": "Femal"}))
    expect(page.get_by_role("alert")).to_be_visible()
    assert page_problems(page, *BOTH) == []
    window.context.close()
    assert window.page_errors == []
