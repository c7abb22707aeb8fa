"""The sheet of opening balances: export, and import of all rows or none."""

import io
from typing import Any

import openpyxl
import pytest

from gaji.console.glossary import FORMS, label
from gaji.core import clock
from gaji.imports.employees.take_on_columns import CAPTIONS
from tests.imports.employees.test_import import new_row
from tests.imports.employees.workbooks import HEADER_ROW, Workbook, import_workbook, make_workbook, send_workbook
from tests.leave.people import leave_types
from tests.payroll.payslips.slips import draft
from tests.payroll.payslips.test_history import case
from tests.support.company import Company
from tests.support.problems import field_errors

SHEET = "Opening balances"
BALANCES: dict[str, Any] = {
    "ordinary_wages": "30000.00",
    "ordinary_wages_subject": "28000.50",
    "additional_wages": "0.00",
    "additional_wages_subject": "0.00",
    "cpf_employee": "5600.00",
    "cpf_employer": "4760.00",
    "ir8a": {"a": "30000.00"},
}


def this_year() -> int:
    return clock.today().year


@pytest.fixture
def annual(company: Company) -> str:
    """The ID of annual leave."""
    return str(leave_types(company.member, company.id)["annual_leave"])


def export(company: Company) -> Workbook:
    answer = company.member.get(f"/clients/{company.id}/take_on_balances/export")
    assert answer.status_code == 200, answer.text
    return Workbook(answer.content, SHEET)


def read(company: Company, employee_id: int) -> dict[str, Any]:
    balances: dict[str, Any] = company.member.get(f"/employees/{employee_id}/take_on_balances").json()
    return balances


def put(company: Company, employee_id: int, **body: Any) -> None:
    answer = company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=body)
    assert answer.status_code == 200, answer.text


def make_sheet(*rows: dict[str, Any]) -> bytes:
    """Return a workbook with a sheet of opening balances only."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    book = openpyxl.load_workbook(io.BytesIO(make_workbook(keys, *rows)))
    book.active.title = SHEET
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_the_workbook_has_a_row_for_everyone_in_service_this_year(company: Company, annual: str) -> None:
    year = this_year()
    first, second = company.hire(number="P1", first_name="Mei", last_name="Tan"), company.hire(number="P2")
    left = company.hire(number="P3", appointment_date=f"{year - 2}-01-01")
    company.leave(left, f"{year - 1}-06-30")
    put(company, first, **BALANCES, year=year, leave={annual: "3.5"})
    book = export(company)
    mei, other = book.rows
    assert (mei["employee_number"], mei["name"], mei["year"]) == ("P1", "Mei Tan", year)
    assert (mei["ordinary_wages_subject"], mei["additional_wages"], mei["ir8a.a"]) == (28000.5, None, 30000)
    assert mei[f"leave.{annual}"] == 3.5
    assert {key for key, value in other.items() if value is not None} == {"employee_number", "name", "year"}
    assert read(company, second)["ordinary_wages"] == "0.00"
    captions = {cell.value for cell in book.sheet[HEADER_ROW - 1]}
    assert {*CAPTIONS.values(), "Days left: Annual leave"} <= captions
    kinds = {rule.type for rule in book.sheet.data_validations.dataValidation}
    assert kinds == {"list", "decimal"}


def test_captions_are_those_of_the_console() -> None:
    labels = {name: field.label or label(name) for name, field in FORMS["opening_balances"].items()}
    assert labels == CAPTIONS


def test_an_unchanged_workbook_changes_nothing(company: Company, annual: str) -> None:
    first = company.hire(number="P1")
    company.hire(number="P2")
    put(company, first, **BALANCES, year=this_year(), leave={annual: "-1"})
    before = company.member.service.fingerprint()
    outcome = import_workbook(company, export(company).content())
    assert outcome["take_on_balances"] == {"updated": [], "unchanged": 2}
    assert outcome["message"] == "Opening balances of 0 employees have been saved; 2 rows are unchanged"
    assert company.member.service.fingerprint() == before


def test_balances_are_checked_and_saved_for_everyone(company: Company, annual: str) -> None:
    first, second = company.hire(number="P1"), company.hire(number="P2")
    book = export(company)
    for key, value in {"ordinary_wages": "$31,000.00", "ordinary_wages_subject": 30000, f"leave.{annual}": 2.5}.items():
        book.set(0, key, value)
    book.set(1, "ir8a.a", 100.05)
    tried = import_workbook(company, book.content(), "?dry_run=true")
    assert tried["message"] == "Opening balances of 2 employees would be saved; 0 rows are unchanged"
    assert read(company, first)["ordinary_wages"] == "0.00"
    outcome = import_workbook(company, book.content())
    assert outcome["take_on_balances"] == {
        "updated": [
            {"row": f"{SHEET}!A3", "employee_id": first},
            {"row": f"{SHEET}!A4", "employee_id": second},
        ],
        "unchanged": 0,
    }
    saved = read(company, first)
    assert (saved["year"], saved["ordinary_wages"], saved["ordinary_wages_subject"]) == (
        this_year(),
        "31000.00",
        "30000.00",
    )
    assert saved["leave"] == {annual: "2.5"}
    assert read(company, second)["ir8a"] == {"a": "100.05"}


def test_empty_cells_clear_and_missing_columns_keep(company: Company) -> None:
    year = this_year()
    employee_id = company.hire(number="P1")
    put(company, employee_id, **BALANCES, year=year)
    import_workbook(company, make_sheet({"employee_number": "P1", "cpf_employer": None, "ir8a.b": 5}))
    assert read(company, employee_id) == {
        **BALANCES,
        "year": year,
        "cpf_employer": "0.00",
        "ir8a": {"a": "30000.00", "b": "5.00"},
        "leave": {},
    }


def test_another_year_keeps_only_what_the_row_has(company: Company) -> None:
    year = this_year()
    employee_id = company.hire(number="P1")
    put(company, employee_id, **BALANCES, year=year)
    import_workbook(company, make_sheet({"employee_number": "P1", "year": year - 1, "cpf_employer": 1}))
    saved = read(company, employee_id)
    assert (saved["year"], saved["ordinary_wages"], saved["cpf_employer"], saved["ir8a"]) == (
        year - 1,
        "0.00",
        "1.00",
        {},
    )


def test_all_errors_are_reported_by_cell_and_nothing_is_saved(company: Company, annual: str) -> None:
    company.hire(number="P1", first_name="Mei", last_name="Tan")
    company.hire(number="P2")
    book = export(company)
    cells = {
        book.set(0, "ordinary_wages", 100): None,
        book.set(0, "ordinary_wages_subject", 200): "must be at most Ordinary wages",
        book.set(0, "cpf_employee", -5): "must not be negative",
        book.set(1, "year", "soon"): "must be an integer",
        book.set(1, f"leave.{annual}", "many"): "must be a number of days from -10000 to 10000",
        book.set(2, "employee_number", "P9"): "no employee has this number",
    }
    expected = {cell: message for cell, message in cells.items() if message}
    before = company.member.service.fingerprint()
    answer = send_workbook(company, book.content())
    assert field_errors(answer) == expected
    [detail] = [item for item in answer.json()["error_details"] if item["code"] == "negative"]
    assert (detail["person"], detail["column"], detail["value"]) == ("Mei Tan (P1)", "Employee's CPF", "-5")
    assert company.member.service.fingerprint() == before


def test_an_employee_has_one_row_and_columns_are_known(company: Company) -> None:
    company.hire(number="P1")
    row = {"employee_number": "P1", "year": this_year(), "cpf_employee": 1, "ordinary_wage": 1}
    errors = field_errors(send_workbook(company, make_sheet(row, row)))
    assert errors == {
        f"{SHEET}!D1": "is not an attribute of opening balances of this client; did you mean ordinary_wages?",
        f"{SHEET}!A3": f"duplicates {SHEET}!A2",
    }


def test_the_year_is_required(company: Company) -> None:
    company.hire(number="P1")
    row = {"employee_number": "P1", "year": None, "cpf_employee": 1}
    errors = field_errors(send_workbook(company, make_sheet(row)))
    assert errors == {f"{SHEET}!B2": "is required"}


def test_a_new_employee_is_imported_with_balances(company: Company) -> None:
    employees = make_workbook(list(new_row(company, number="N1")), new_row(company, number="N1"))
    book = openpyxl.load_workbook(io.BytesIO(employees))
    sheet = book.create_sheet(SHEET)
    sheet.append(["employee_number", "year", "ordinary_wages"])
    sheet.append(["N1", this_year(), 1200])
    file = io.BytesIO()
    book.save(file)
    tried = import_workbook(company, file.getvalue(), "?dry_run=true")
    assert tried["take_on_balances"]["updated"] == [{"row": f"{SHEET}!A2", "employee_id": None}]
    [employee] = import_workbook(company, file.getvalue())["created"]
    assert read(company, employee["id"])["ordinary_wages"] == "1200.00"


def test_drafts_are_recalculated(company: Company) -> None:
    """Wages of before count towards the yearly ceiling."""
    employee_id = company.hire(number="P1", appointment_date="2026-01-01")
    before = case(company, draft(company, employee_id)).year_to_date
    row = {"employee_number": "P1", "year": 2026, "ordinary_wages": 60000, "ordinary_wages_subject": 56000}
    import_workbook(company, make_sheet(row))
    after = case(company, draft(company, employee_id)).year_to_date
    assert (before.ordinary_subject, after.ordinary_subject) == (0, 5_600_000)
