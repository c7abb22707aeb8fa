"""The sheet of children in the export and import of employees."""

from datetime import date
from typing import Any

import pytest

from tests.imports.employees.test_import import new_row
from tests.imports.employees.workbooks import (
    CHILDREN,
    HEADER_ROW,
    Workbook,
    export_workbook,
    import_workbook,
    make_workbook,
    send_workbook,
)
from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import field_errors
from tests.support.running import created

CHILD = {"name": "Tan Wei Ming", "birthdate": "2024-05-15", "citizenship": "CITIZEN"}
ADOPTED = {
    "name": "Lee Jun",
    "birthdate": "2020-01-31",
    "citizenship": "PR",
    "relationship": "adopted",
    "adoption_date": "2021-03-01",
}
KEYS = (
    "id",
    "employee_number",
    "name",
    "birthdate",
    "citizenship",
    "relationship",
    "adoption_date",
    "shared_parental_weeks",
    "leave_from",
)


@pytest.fixture
def parent(company: Company) -> OnLeave:
    """An employee with two children."""
    employee = OnLeave.hired(company, number="P7")
    for child in (CHILD, ADOPTED):
        created(company.member.post(employee.path("children"), child))
    return employee


def children_of(company: Company, employee_id: int) -> list[dict[str, Any]]:
    """The children of an employee, without their wrapper."""
    return [element["child"] for element in company.member.get(f"/employees/{employee_id}/children").json()]


def with_children(content: bytes, *rows: dict[str, Any], keys: tuple[str, ...] = KEYS) -> bytes:
    """Return a workbook with a sheet of children added."""
    book = Workbook(content)
    sheet = book.book.create_sheet(CHILDREN)
    sheet.append(list(keys))
    for row in rows:
        sheet.append([row.get(key) for key in keys])
    return book.content()


def test_children_are_exported(company: Company, parent: OnLeave) -> None:
    book = Workbook(export_workbook(company), CHILDREN)
    assert tuple(book.columns) == KEYS
    first, second = book.rows
    assert (first["employee_number"], first["name"], first["relationship"]) == ("P7", "Tan Wei Ming", "birth_child")
    assert first["birthdate"].date() == date(2024, 5, 15)
    assert (second["id"], second["adoption_date"].date()) == (
        children_of(company, parent.id)[1]["id"],
        date(2021, 3, 1),
    )
    validated = {str(rule.sqref).split(":")[0] for rule in book.sheet.data_validations.dataValidation}
    first_row = HEADER_ROW + 1
    assert {book.sheet.cell(first_row, book.columns[key]).coordinate for key in ("citizenship", "relationship")} == (
        validated
    )


def test_importing_an_unchanged_export_changes_nothing(company: Company, parent: OnLeave) -> None:
    before = company.member.service.fingerprint()
    outcome = import_workbook(company, export_workbook(company))
    assert outcome["children"] == {"created": [], "updated": [], "unchanged": 2}
    assert outcome["message"] == (
        "0 employees have been added, 0 changed; 1 row is unchanged. "
        "0 children have been added, 0 changed; 2 rows are unchanged"
    )
    assert company.member.service.fingerprint() == before


def test_children_are_added_and_changed(company: Company, parent: OnLeave) -> None:
    before = children_of(company, parent.id)
    book = Workbook(export_workbook(company), CHILDREN)
    book.set(0, "citizenship", "PR")
    for key, value in {"employee_number": "P7", "name": "Tan Mei", "birthdate": "2026-01-02"}.items():
        book.set(2, key, value)
    book.set(2, "citizenship", "CITIZEN")
    outcome = import_workbook(company, book.content())
    first, second, third = children_of(company, parent.id)
    assert outcome["children"] == {
        "created": [{"row": "Children!A5", "id": third["id"], "employee_id": parent.id}],
        "updated": [{"row": "Children!A3", "id": first["id"], "employee_id": parent.id}],
        "unchanged": 1,
    }
    assert {name for name in first if first[name] != before[0][name]} == {"citizenship", "updated_at"}
    assert second == before[1]
    assert (third["name"], third["relationship"], third["leave_from"]) == ("Tan Mei", "birth_child", None)
    again = import_workbook(company, book.content())
    assert again["children"] == {"created": [], "updated": [], "unchanged": 3}


def test_leave_is_granted_and_drafts_are_recalculated(company: Company) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2026-03-31")
    employee = OnLeave.hired(company, wave_id=wave_id, appointment_date="2020-01-01", number="P1")
    assert employee.balance("2026-12-31", "childcare_leave") == 0
    row = {**CHILD, "employee_number": "P1"}
    import_workbook(company, with_children(make_workbook(["number"], {"number": "P1"}), row))
    assert employee.balance("2026-12-31", "childcare_leave") == 6
    [payslip] = company.member.get(employee.path("payslips")).json()
    leave = company.member.get(f"/payslips/{payslip['payslip']['id']}").json()["payslip"]["leave"]
    assert leave["childcare_leave"]["balance"] == 6


def test_a_new_employee_is_imported_with_children(company: Company) -> None:
    employees = make_workbook(list(new_row(company, number="N1")), new_row(company, number="N1"))
    content = with_children(employees, {**CHILD, "employee_number": "N1"})
    tried = import_workbook(company, content, "?dry_run=true")
    assert tried["children"]["created"] == [{"row": "Children!A2", "id": None, "employee_id": None}]
    assert company.listed() == []
    [employee] = import_workbook(company, content)["created"]
    [child] = children_of(company, employee["id"])
    assert {name: child[name] for name in CHILD} == CHILD


def test_children_follow_the_number_of_their_employee(company: Company, parent: OnLeave) -> None:
    book = Workbook(export_workbook(company))
    book.set(0, "number", "P8")
    outcome = import_workbook(company, book.content())
    assert (len(outcome["updated"]), outcome["children"]["unchanged"]) == (1, 2)
    assert Workbook(export_workbook(company), CHILDREN).rows[0]["employee_number"] == "P8"


def test_all_errors_are_named_by_cell_and_nothing_is_saved(company: Company, parent: OnLeave) -> None:
    other = company.hire(number="P9")
    company.member.post(f"/employees/{other}/children", CHILD)
    book = Workbook(export_workbook(company), CHILDREN)
    employee_cell = "Employees!" + Workbook(export_workbook(company)).cell(0, "birthdate").split("!")[1]
    employees = book.book["Employees"]
    employees[employee_cell.split("!")[1]] = "soon"
    expected = {
        employee_cell: "must be a date such as 2026-03-31",
        book.set(0, "citizenship", "SG"): "must be one of CITIZEN, PR, OTHER",
        book.set(0, "birthdate", "yesterday"): "must be a date such as 2026-03-31",
        book.set(1, "adoption_date", None): "is required when relationship is adopted",
        book.set(2, "employee_number", "P7"): f"child {book.rows[2]['id']} belongs to another employee",
    }
    new = {"name": "Tan Mei", "birthdate": "2026-01-02", "citizenship": "PR"}
    wrong: tuple[dict[str, Any], ...] = ({}, {"employee_number": "X"}, {"id": 999999}, {"id": "x"})
    for number, row in enumerate(wrong, start=3):
        for key, value in {**new, **row}.items():
            book.set(number, key, value)
    expected |= {
        book.cell(3, "employee_number"): "is required",
        book.cell(4, "employee_number"): "no employee has this number",
        book.cell(5, "id"): "child 999999 does not exist in this client",
        book.cell(6, "id"): "must be an integer",
    }
    before = company.member.service.fingerprint()
    answer = send_workbook(company, book.content())
    assert field_errors(answer) == expected
    values = {detail["path"]: detail.get("value") for detail in answer.json()["error_details"]}
    assert values[book.cell(0, "citizenship")] == "SG"
    assert values[book.cell(4, "employee_number")] == "X"
    assert values[book.cell(3, "employee_number")] is None
    assert company.member.service.fingerprint() == before


def test_two_rows_for_a_child_are_an_error(company: Company, parent: OnLeave) -> None:
    first = children_of(company, parent.id)[0]["id"]
    new = {"employee_number": "P7", "name": "Tan Mei", "birthdate": "2026-01-02", "citizenship": "PR"}
    rows = [
        {"id": first, **CHILD},
        {"employee_number": "P7", **CHILD, "name": "TAN  wei ming"},
        new,
        {**new, "name": "tan mei"},
    ]
    content = with_children(make_workbook(["number"], {"number": "P7"}), *rows)
    twice = f"child {first} appears in more than one row; keep only one"
    assert field_errors(send_workbook(company, content)) == {
        "Children!A2": twice,
        "Children!A3": twice,
        "Children!C5": "duplicates Children!C4",
    }


def test_a_missing_column_keeps_the_value_and_an_unknown_one_is_an_error(company: Company, parent: OnLeave) -> None:
    before = children_of(company, parent.id)
    employees = make_workbook(["number"], {"number": "P7"})
    row = {"id": before[1]["id"], "name": "Lee Jun Jie"}
    import_workbook(company, with_children(employees, row, keys=("id", "name")))
    assert children_of(company, parent.id)[1] | {"updated_at": None} == (
        before[1] | {"name": "Lee Jun Jie", "updated_at": None}
    )
    wrong = with_children(employees, row, keys=("id", "name", "birthday", "name"))
    assert field_errors(send_workbook(company, wrong)) == {
        "Children!C1": "is not an attribute of a child; did you mean birthdate?",
        "Children!D1": "appears twice; remove one of the two columns",
    }
    unreadable = with_children(employees, {"x": 1}, keys=("x", "y"))
    assert field_errors(send_workbook(company, unreadable)) == {
        "Children!A1": "none of the first 10 rows contains attribute keys such as birthdate"
    }


def test_a_workbook_without_children_or_with_an_empty_sheet_leaves_them_alone(
    company: Company, parent: OnLeave
) -> None:
    before = children_of(company, parent.id)
    employees = make_workbook(["number"], {"number": "P7"})
    for content in (employees, with_children(employees, keys=())):
        assert import_workbook(company, content)["children"] == {"created": [], "updated": [], "unchanged": 0}
    assert children_of(company, parent.id) == before


def test_a_child_for_whom_leave_was_adjusted_needs_the_first_day(company: Company) -> None:
    employee = OnLeave.hired(company, number="P1")
    employee.adjust("2026-01-05", 6, "childcare_leave")
    row = {**CHILD, "employee_number": "P1"}
    employees = make_workbook(["number"], {"number": "P1"})
    assert field_errors(send_workbook(company, with_children(employees, row))) == {
        "Children!I2": "is required, because leave for children was granted by adjustment on 2026-01-05"
    }
    import_workbook(company, with_children(employees, row | {"leave_from": date(2027, 1, 1)}))
    assert children_of(company, employee.id)[0]["leave_from"] == "2027-01-01"


def test_children_of_another_client_are_unknown(company: Company, parent: OnLeave) -> None:
    other = Company.of(company.member)
    child_id = children_of(company, parent.id)[0]["id"]
    row = {"id": child_id, "name": "Taken"}
    content = with_children(make_workbook(["number"], {"number": "P7"}), row, keys=("id", "name"))
    errors = field_errors(send_workbook(other, content))
    assert errors["Children!A2"] == f"child {child_id} does not exist in this client"
