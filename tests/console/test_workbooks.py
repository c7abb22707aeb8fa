"""Employees as a workbook in the console."""

import io
from typing import Any

import httpx
import openpyxl

from tests.company import Company
from tests.console.officers import Officer, text_of


def exported(owner: Officer, company: Company) -> bytes:
    """The workbook of a company."""
    answer = owner.get(f"/companies/{company.id}/employees/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="employees.xlsx"'
    return answer.content


def sent(owner: Officer, company: Company, content: bytes, how: str) -> httpx.Response:
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


def job_title(company: Company, employee_id: int) -> object:
    """What an employee is."""
    return company.member.get(f"/employees/{employee_id}").json()["employee"]["job_title"]


def test_a_workbook_is_taken_along_changed_checked_and_saved(owner: Officer, company: Company) -> None:
    employee_id = company.hire(job_title="Clerk")
    content = changed(exported(owner, company), "job_title", "Accountant")
    checked = sent(owner, company, content, "check")
    assert "0 would be added, 1 changed" in text_of(checked)
    assert job_title(company, employee_id) == "Clerk"
    assert sent(owner, company, content, "save").status_code == 303
    assert job_title(company, employee_id) == "Accountant"


def test_every_fault_is_named_by_its_cell_and_nothing_is_saved(owner: Officer, company: Company) -> None:
    company.hire()
    content = changed(exported(owner, company), "birthdate", "soon")
    before = company.member.service.contents()
    answer = sent(owner, company, content, "save")
    assert answer.status_code == 422
    assert "Employees!" in text_of(answer)
    after = company.member.service.contents()
    assert {name for name in after if after[name] != before[name]} <= {"sign_in_attempts", "console_sessions"}


def test_what_is_no_workbook_is_refused_in_words(owner: Officer, company: Company) -> None:
    for content in (b"", b"hello", b"PK\x03\x04" + b"\xff" * 200):
        assert sent(owner, company, content, "check").status_code in (400, 422)
    path = f"/companies/{company.id}/employees/import"
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        answer = owner.browser.post(path, content=b"\xff--nothing", headers={"Content-Type": kind})
        assert answer.status_code in (400, 403)
