"""Export and import of employees."""

import io
import re
import secrets
import time
import zipfile
from typing import Any

import httpx
import openpyxl
import pytest

from gaji.console.workbook_import import LARGE_BYTES
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.support.company import Company


def exported(owner: ConsoleUser, company: Company) -> bytes:
    """The workbook of a company."""
    answer = owner.get(f"/companies/{company.id}/employees/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="employees.xlsx"'
    return answer.content


def sent(owner: ConsoleUser, company: Company, content: bytes, how: str) -> httpx.Response:
    """A workbook that is brought back."""
    path = f"/companies/{company.id}/employees/import"
    data = {"form_token": owner.token(path), "how": how}
    return owner.browser.post(path, data=data, files={"workbook": ("employees.xlsx", content)})


def changed(content: bytes, key: str, value: Any) -> bytes:
    """The workbook with another value for the first employee."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book["Employees"]
    [column] = [cell.column for row in sheet.iter_rows(max_row=3) for cell in row if cell.value == key]
    sheet.cell(sheet.max_row, column).value = value
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def value_of(content: bytes, key: str) -> Any:
    """The value of the last employee."""
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Employees"]
    [column] = [cell.column for row in sheet.iter_rows(max_row=3) for cell in row if cell.value == key]
    return sheet.cell(sheet.max_row, column).value


def job_title(company: Company, employee_id: int) -> object:
    """What an employee is."""
    return company.member.get(f"/employees/{employee_id}").json()["employee"]["job_title"]


def test_errors_have_the_words_of_the_console(owner: ConsoleUser, company: Company) -> None:
    company.hire(nationality=None)
    content = changed(exported(owner, company), "legal_status", "Permanent resident")
    text = page_text(sent(owner, company, content, "check"))
    assert "is required when Legal status is “Permanent resident”" in text


def test_a_workbook_is_exported_changed_checked_and_imported(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(job_title="Clerk")
    content = changed(exported(owner, company), "job_title", "Accountant")
    checked = sent(owner, company, content, "check")
    assert "0 employees would be added, 1 changed" in page_text(checked)
    assert job_title(company, employee_id) == "Clerk"
    assert sent(owner, company, content, "save").status_code == 303
    assert job_title(company, employee_id) == "Accountant"


def test_errors_name_their_cells_and_nothing_is_saved(owner: ConsoleUser, company: Company) -> None:
    company.hire()
    content = changed(exported(owner, company), "birthdate", "soon")
    before = company.member.service.fingerprint()
    answer = sent(owner, company, content, "save")
    assert answer.status_code == 422
    assert "Employees!" in page_text(answer)
    after = company.member.service.fingerprint()
    assert {name for name in after if after[name] != before[name]} <= {
        "sign_in_attempts",
        "console_sessions",
        "employee_imports",  # which has the workbook with errors for a day
    }


def test_the_words_of_the_console_are_imported(owner: ConsoleUser, company: Company) -> None:
    company.member.new_pay_point(company.id, name="Warehouse")
    employee_id = company.hire(sdl_exempt=True)
    content = exported(owner, company)
    assert value_of(content, "legal_status") == "Singapore citizen"
    assert value_of(content, "sdl_exempt") == "Yes"
    words = {"legal_status": "singapore CITIZEN", "payment_method": "cheque", "pay_point_id": "warehouse"}
    for key, value in {**words, "sdl_exempt": None, "cpf_exempt": "no", "birthdate": "16 Nov 1990"}.items():
        content = changed(content, key, value)
    assert sent(owner, company, content, "save").status_code == 303
    employee = company.member.get(f"/employees/{employee_id}").json()["employee"]
    assert (employee["legal_status"], employee["payment_method"]) == ("CITIZEN", "cheque")
    assert (employee["sdl_exempt"], employee["cpf_exempt"], employee["birthdate"]) == (False, False, "1990-11-16")
    assert employee["pay_point_id"]


def test_a_workbook_with_errors_is_downloaded_with_marks(owner: ConsoleUser, company: Company) -> None:
    company.hire(first_name="Mei Ling", last_name="Tan")
    content = changed(exported(owner, company), "birthdate", "soon")
    answer = sent(owner, company, content, "check")
    assert "Mei Ling Tan (1) · Birthdate “soon” · Employees!" in page_text(answer)
    [path] = re.findall(r'href="([^"]*/marked)"', answer.text)
    file = owner.get(path)
    assert file.status_code == 200, page_text(file)
    assert file.headers["content-disposition"] == 'attachment; filename="employees-with-errors.xlsx"'
    sheet = openpyxl.load_workbook(io.BytesIO(file.content))["Employees"]
    [marked] = [cell for row in sheet.iter_rows() for cell in row if cell.comment]
    assert (marked.value, marked.fill.fill_type) == ("soon", "solid")
    assert marked.comment.text.startswith("Must be a date")
    assert signed_in_user(company.member.colleague(company.id, "viewer")).get(path).status_code == 403


def test_invalid_workbooks_are_rejected(owner: ConsoleUser, company: Company) -> None:
    for content in (b"", b"hello", b"PK\x03\x04" + b"\xff" * 200):
        answer = sent(owner, company, content, "check")
        assert answer.status_code in (400, 422)
        assert "Download workbook" in page_text(answer)
    path = f"/companies/{company.id}/employees/import"
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        answer = owner.browser.post(path, content=b"\xff--nothing", headers={"Content-Type": kind})
        assert answer.status_code in (400, 403)


def padded(content: bytes) -> bytes:
    """The same workbook, as large as one of many employees."""
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a") as book:
        book.writestr("docProps/more.bin", secrets.token_bytes(LARGE_BYTES))
    return file.getvalue()


def settled(owner: ConsoleUser, path: str) -> httpx.Response:
    """The page of an import that is over."""
    deadline = time.monotonic() + 60
    while "refresh" in (answer := owner.get(path)).headers:
        assert "<progress" in answer.text
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer


def test_a_large_workbook_is_imported_in_the_background(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(job_title="Clerk")
    content = padded(changed(exported(owner, company), "job_title", "Accountant"))
    checked = sent(owner, company, content, "check")
    assert checked.status_code == 303
    text = page_text(settled(owner, checked.headers["location"]))
    assert "The workbook has no errors. 0 employees would be added, 1 changed" in text
    assert job_title(company, employee_id) == "Clerk"
    saved = sent(owner, company, content, "save")
    text = page_text(settled(owner, saved.headers["location"]))
    assert "Workbook imported. 0 employees have been added, 1 changed" in text
    assert job_title(company, employee_id) == "Accountant"


def test_errors_of_a_large_workbook_name_their_cells(owner: ConsoleUser, company: Company) -> None:
    company.hire()
    content = padded(changed(exported(owner, company), "birthdate", "soon"))
    page = settled(owner, sent(owner, company, content, "save").headers["location"])
    assert page.status_code == 200
    assert 'role="alert"' in page.text
    assert "Employees!" in page_text(page)


def test_errors_of_a_large_workbook_have_the_words_of_the_console(owner: ConsoleUser, company: Company) -> None:
    company.hire(first_name="Mei Ling", last_name="Tan", name_format=2)
    content = padded(changed(exported(owner, company), "legal_status", "Permanent resident"))
    text = page_text(settled(owner, sent(owner, company, content, "check").headers["location"]))
    assert "is required when Legal status is “Permanent resident”" in text
    assert "Tan Mei Ling (1) · " in text


@pytest.mark.parametrize(
    ("step", "description"),
    [
        ("reading", "Reading the workbook"),
        ("checking", "Checking row 2,500 of 5,000"),
        ("saving", "Saving 5,000 rows"),
        (None, "Waiting to start"),
    ],
)
def test_the_progress_page_refreshes_without_scripts(
    owner: ConsoleUser, company: Company, step: str | None, description: str
) -> None:
    company.hire()
    path = sent(owner, company, padded(exported(owner, company)), "save").headers["location"]
    settled(owner, path)
    run = company.member.service.as_owner
    run(
        "UPDATE employee_imports SET state = 'queued', finished_at = NULL, content_sealed = '', outcome_sealed = NULL "
        "WHERE client_id = $1",
        company.id,
    )
    run(
        "UPDATE employee_import_progress SET step = $2, rows = 5000, done = 2500 WHERE client_id = $1"
        if step
        else "DELETE FROM employee_import_progress WHERE client_id = $1 AND $2::text IS NULL",
        company.id,
        step,
    )
    page = owner.get(path)
    assert page.headers["refresh"] == "2"
    assert description in page_text(page)
    assert "<progress" in page.text


@pytest.mark.parametrize("uuid", ["x", "6b0f2d0e-9e0a-4d3c-8f55-0f8f4b1c2d3e", "%00"])
def test_an_unknown_import_is_not_found(owner: ConsoleUser, company: Company, uuid: str) -> None:
    assert owner.get(f"/companies/{company.id}/employees/import/{uuid}").status_code == 404
