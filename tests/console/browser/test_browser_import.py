"""Import of employees in Chromium: words, marked errors, and the corrected workbook."""

import io
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import page_problems
from tests.console.browser.test_browser_settings_forms import bring, changed, downloaded
from tests.console.browser.test_every_page import BOTH
from tests.console.browser.windows import open_window
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company

pytestmark = pytest.mark.slow


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
