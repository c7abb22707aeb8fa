"""POST /clients/:client_id/employees/import."""

import io
import itertools
import zipfile
from typing import Any

import pytest

from tests.imports.employees.workbooks import (
    XLSX,
    Workbook,
    export_workbook,
    flatten,
    import_workbook,
    make_workbook,
    send_workbook,
)
from tests.support.company import BANK_ACCOUNT, Company, attributes, new_nric, of_status
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created


@pytest.fixture
def staffed(company: Company) -> Company:
    """A company with different kinds of employees and calculations."""
    size = company.field(name="Shirt size", type="dropdown", options=[{"name": "1"}, {"name": "Large"}])
    more = {kind: company.field(name=kind, type=kind) for kind in ("text", "number", "date", "boolean")}
    first = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()[0]
    option = first["custom_employee_field"]["options"][0]["id"]
    values = {"text": " =2+2 ", "number": "0012.50", "date": "2020-02-29", "boolean": False}
    custom = {str(more[kind]): value for kind, value in values.items()} | {str(size): option}
    address = {"type": "L", "block_no": "203A", "st_name": "Bedok North Road", "postal_code": "061203"}
    rich = company.hire(
        first_name="<r>Mei</r>",
        last_name="_x0041_ 陈",
        job_title="=1+1",
        payment_method="eft_manual",
        bank_account=BANK_ACCOUNT,
        physical_address=address,
        custom_fields=custom,
        race="CHINESE-MALAY",
        number="007",
    )
    for status in ("FOREIGNER", "FOREIGNER_WP", "FD_MALAYSIA", "FD_OTHER"):
        created(company.post(of_status(status, physical_address={"type": "F", "country_code": "MY"})))
    for calculation, inputs in (
        ("basic_salary", {"pay_type": "monthly", "fixed_amount": "4200.10"}),
        ("annual_bonus", {"months": "1.5", "declaration_date": "2026-03-01"}),
        ("reimbursement", {"amount": "12.00", "description": "_x0041_"}),
        ("week_hours", {"schedule": "fixed", "works_mon": True, "full_day_hours_input": "8"}),
    ):
        body = {"calc_type": calculation, "calculation_details": inputs}
        created(company.member.post(f"/employees/{rich}/calculations", body))
    return company


def new_row(company: Company, **changes: Any) -> dict[str, Any]:
    """Return the row of a new employee."""
    return flatten({"wave_id": company.wave_id, **attributes(**changes)})


def test_importing_an_unchanged_export_changes_nothing(staffed: Company) -> None:
    before = staffed.member.service.fingerprint()
    outcome = import_workbook(staffed, export_workbook(staffed))
    assert outcome == {
        "message": "0 employees have been added, 0 changed; 5 rows are unchanged",
        "dry_run": False,
        "created": [],
        "updated": [],
        "unchanged": 5,
        "children": {"created": [], "updated": [], "unchanged": 0},
        "take_on_balances": {"updated": [], "unchanged": 0},
    }
    assert staffed.member.service.fingerprint() == before


def test_a_workbook_saved_by_another_program_changes_nothing(staffed: Company) -> None:
    before = staffed.member.service.fingerprint()
    assert import_workbook(staffed, Workbook(export_workbook(staffed)).content())["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before


def test_masked_identifiers_are_kept(staffed: Company) -> None:
    hiding = staffed.member.with_another_key(hide_identifiers=True)
    content = export_workbook(staffed, hiding)
    before = staffed.member.service.fingerprint()
    for member in (hiding, staffed.member):
        assert import_workbook(staffed, content, member=member)["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before
    book = Workbook(content)
    book.set(0, "job_title", "Baker")
    assert len(import_workbook(staffed, book.content(), member=hiding)["updated"]) == 1
    assert staffed.listed()[0]["bank_account"] == BANK_ACCOUNT


def test_a_masked_identifier_in_another_row_is_an_error(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    cell = book.set(1, "fin", "*****999X")
    assert set(field_errors(send_workbook(staffed, book.content()))) == {cell}


def test_all_invalid_cells_are_named_and_nothing_is_saved(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    book.set(0, "first_name", "Changed")
    bad = {
        book.set(0, "bank_account.branch_code", "05"): "must be exactly 3 characters",
        book.set(1, "birthdate", "yesterday"): "must be a date such as 2026-03-31",
        book.set(2, "calc.basic_salary.fixed_amount", -5): "must not be negative",
    }
    before = staffed.member.service.fingerprint()
    for query in ("?dry_run=true", ""):
        answer = send_workbook(staffed, book.content(), query)
        assert field_errors(answer) == bad
        assert answer.json()["message"] == "3 cells are not valid; nothing has been saved"
    assert staffed.member.service.fingerprint() == before


def test_only_changed_cells_are_saved(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    before = staffed.listed()
    book.set(0, "job_title", "Baker")
    book.set(0, "calc.basic_salary.fixed_amount", 4300.55)
    book.set(0, "physical_address.level_no", 11)
    outcome = import_workbook(staffed, book.content())
    assert outcome["updated"] == [{"row": "Employees!A3", "id": before[0]["id"], "number": "007"}]
    assert outcome["unchanged"] == 4
    first, *others = staffed.listed()
    assert others == before[1:]
    assert (first["job_title"], first["physical_address"]["level_no"]) == ("Baker", "11")
    changed = {"job_title", "physical_address", "updated_at"}
    assert {name for name in first if first[name] != before[0][name]} == changed
    assert "'4300.55'" in str(staffed.member.get(f"/employees/{first['id']}/calculations").json())


def test_drafts_are_recalculated(company: Company) -> None:
    employee_id = company.hire()
    book = Workbook(export_workbook(company))
    book.set(0, "calc.basic_salary.fixed_amount", 3000)
    import_workbook(company, book.content())
    [payslip] = company.member.get(f"/employees/{employee_id}/payslips").json()
    data = company.member.get(f"/payslips/{payslip['payslip']['id']}").json()
    assert "3000.00" in str(data)


def test_an_empty_cell_clears_and_a_missing_column_keeps_the_value(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    for key in [key for key in book.columns if key.startswith("physical_address.")]:
        book.set(0, key, None)
    book.set(0, "job_title", None)
    book.set(0, "calc.annual_bonus.months", " ")
    import_workbook(staffed, book.content())
    first = staffed.listed()[0]
    assert (set(first["physical_address"].values()), first["job_title"]) == ({None}, None)
    small = make_workbook(["id", "email"], {"id": first["id"], "email": "mei@example.com"})
    import_workbook(staffed, small)
    assert staffed.listed()[0] == {**first, "email": "mei@example.com", "updated_at": staffed.listed()[0]["updated_at"]}


def test_rows_without_an_id_or_a_known_number_are_new_employees(company: Company) -> None:
    known = company.hire(number="K1")
    rows = [
        {"number": "K1", "job_title": "Baker"},
        new_row(company, payment_method="eft_manual", bank_account=BANK_ACCOUNT)
        | {"calc.basic_salary.fixed_amount": "2500.00", "calc.week_hours.schedule": "casual"},
        new_row(company, number="N9"),
    ]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    only = {key: company.employee(known).get(key) for key in keys if "." not in key}
    rows[0] = only | rows[0]
    outcome = import_workbook(company, make_workbook(keys, *rows))
    assert [employee["id"] for employee in outcome["updated"]] == [known]
    first, second = outcome["created"]
    assert (first["number"], second["number"]) == ("1", "N9")
    assert company.employee(first["id"])["bank_account"] == BANK_ACCOUNT
    assert company.employee(known)["job_title"] == "Baker"
    [hours] = company.member.get(f"/employees/{first['id']}/inherited_calculations").json()
    assert hours["inputs"] == {"full_day_hours_input": "8", "schedule": "casual"}
    calculations = company.member.get(f"/employees/{first['id']}/calculations").json()
    assert "2500.00" in str(calculations)
    assert len(company.member.get(f"/employees/{second['id']}/payslips").json()) == 1


def test_columns_can_be_in_any_order(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    rows = book.rows
    keys = list(reversed(book.columns))
    before = staffed.member.service.fingerprint()
    assert import_workbook(staffed, make_workbook(keys, *rows))["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before


def test_a_dry_run_reports_changes_and_saves_nothing(company: Company) -> None:
    employee_id = company.hire()
    keys = ["id", "job_title", *new_row(company)]
    content = make_workbook(keys, {**company.employee(employee_id), "job_title": "Baker"}, new_row(company))
    before = company.member.service.fingerprint()
    outcome = import_workbook(company, content, "?dry_run=true")
    assert (outcome["dry_run"], len(outcome["updated"])) == (True, 1)
    assert [employee["id"] for employee in outcome["created"]] == [None]
    assert company.member.service.fingerprint() == before
    done = import_workbook(company, content)
    assert (len(done["updated"]), len(done["created"])) == (1, 1)


def test_a_dry_run_and_an_import_need_different_idempotency_keys(company: Company) -> None:
    content = make_workbook(list(new_row(company)), new_row(company))
    headers = {"Content-Type": XLSX, "Idempotency-Key": "once"}
    where = f"{company.people}/import"
    assert company.member.call("POST", f"{where}?dry_run=true", content=content, headers=headers).status_code == 200
    errors = field_errors(company.member.call("POST", where, content=content, headers=headers))
    assert errors == {"Idempotency-Key": "was already used with a different request"}
    assert company.listed() == []
    other = headers | {"Idempotency-Key": "twice"}
    for _ in range(2):
        assert company.member.call("POST", where, content=content, headers=other).status_code == 200
    assert len(company.listed()) == 1


def test_all_errors_of_new_rows_are_named_by_cell(company: Company) -> None:
    nric = new_nric()
    rows = [
        new_row(company, nric=nric) | {"calc.annual_bonus.amount": 5, "calc.annual_bonus.months": 1},
        new_row(company, nric=nric, gender="X") | {"calc.week_hours.partial_hours_mon": 4},
        new_row(company, payment_method="eft_manual") | {"number": "#N/A"},
    ]
    keys = list(dict.fromkeys(itertools.chain(*rows, ["bank_account.bank_id"])))
    book = Workbook(make_workbook(["", *keys], *rows))
    errors = field_errors(send_workbook(company, book.content()))
    where = {key: book.sheet.cell(1, index + 2).column_letter for index, key in enumerate(keys)}
    excludes = "cannot be combined with {0}; to switch, send {0} as null"
    assert errors == {
        f"Employees!{where['calc.annual_bonus.amount']}2": excludes.format("months"),
        f"Employees!{where['calc.annual_bonus.months']}2": excludes.format("amount"),
        f"Employees!{where['gender']}3": "must be one of M, F",
        f"Employees!{where['nric']}3": f"duplicates Employees!{where['nric']}2",
        f"Employees!{where['calc.week_hours.partial_hours_mon']}3": "is only allowed when day_type_mon is partial",
        f"Employees!{where['bank_account.bank_id']}4": "is required when payment_method is eft_manual",
        f"Employees!{where['number']}4": "contains the spreadsheet error #N/A",
    }
    assert company.listed() == []


def test_errors_without_a_column_are_reported_for_the_row(company: Company) -> None:
    row = new_row(company)
    del row["race"]
    problem = assert_problem(send_workbook(company, make_workbook(list(row), row)), 422)
    assert problem["errors"] == {"Employees!A2": "race is required"}
    assert [(detail["attribute"], detail["code"]) for detail in problem["error_details"]] == [("race", "required")]


def test_each_error_of_a_cell_has_details(company: Company) -> None:
    row = {"gender": None, **new_row(company, gender="X")}
    del row["race"], row["religion"]
    problem = assert_problem(send_workbook(company, make_workbook(list(row), row)), 422)
    assert problem["errors"] == {"Employees!A2": "must be one of M, F; race is required; religion is required"}
    assert [(detail.get("attribute"), detail["code"]) for detail in problem["error_details"]] == [
        (None, "not_allowed"),
        ("race", "required"),
        ("religion", "required"),
    ]


def test_unknown_columns_are_errors_and_columns_without_a_key_are_ignored(company: Company) -> None:
    keys = ["first_name", "nirc", "calc.basic_salery.fixed_amount", "calc.loan.balans", "custom_fields.99"]
    errors = field_errors(send_workbook(company, make_workbook([*keys, keys[0]])))
    assert errors == {
        "Employees!B1": "is not an attribute of an employee; did you mean nric?",
        "Employees!C1": "calculation 'basic_salery' does not exist in this client; did you mean basic_salary?",
        "Employees!D1": "is not an input of loan; did you mean balance?",
        "Employees!E1": "this client has no such custom field",
        "Employees!F1": "appears twice; remove one of the two columns",
    }
    employee_id = company.hire()
    book = Workbook(export_workbook(company))
    book.sheet.cell(3, len(book.columns) + 2).value = "a remark"
    assert import_workbook(company, book.content())["unchanged"] == 1
    assert company.employee(employee_id)


def test_unknown_ids_and_duplicate_rows_are_errors(company: Company, account: Member) -> None:
    stranger = Company.of(account.service.new_account()).hire()
    mine = company.hire(number="K1")
    rows: list[dict[str, Any]] = [{"id": stranger}, {"id": "Mei"}, {"id": mine}, {"number": "K1"}]
    errors = field_errors(send_workbook(company, make_workbook(["id", "number"], *rows)))
    twice = f"employee {mine} appears in more than one row; keep only one"
    assert errors == {
        "Employees!A2": f"employee {stranger} does not exist in this client",
        "Employees!A3": "must be the ID of an employee",
        "Employees!A4": twice,
        "Employees!A5": twice,
    }


def test_numbers_and_identifiers_of_other_employees_are_errors(staffed: Company) -> None:
    book = Workbook(export_workbook(staffed))
    number = book.set(1, "number", "007")
    fin = book.set(1, "fin", str(book.rows[2]["fin"]))
    errors = field_errors(send_workbook(staffed, book.content()))
    assert errors == {
        number: "is the number of another employee of this client",
        fin: "is the FIN of another employee of this client",
    }


def test_wave_and_appointment_changes_update_the_periods(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(frequency="weekly", first_end_date="2024-01-05")
    book = Workbook(export_workbook(company))
    book.set(0, "wave_id", weekly)
    book.set(0, "appointment_date", "2024-03-01")
    import_workbook(company, book.content())
    assert company.service_of(employee_id) == [("2024-03-01", None)]
    assert company.employee(employee_id)["wave_id"] == weekly
    book.set(0, "wave_id", 999999)
    errors = field_errors(send_workbook(company, book.content()))
    assert errors == {book.cell(0, "wave_id"): "wave 999999 does not exist in this client"}


def test_regular_hours_that_change_by_date_are_corrected_where_they_are_in_force(company: Company) -> None:
    employee_id = company.hire()
    for since in ({}, {"effective_date": "2026-01-01"}):
        hours = {"full_day_hours_input": "9" if since else "8"}
        body = {"calc_type": "week_hours", "calculation_details": hours, **since}
        created(company.member.post(f"/employees/{employee_id}/calculations", body))
    book = Workbook(export_workbook(company))
    assert import_workbook(company, book.content())["unchanged"] == 1
    book.set(0, "calc.week_hours.full_day_hours_input", 7)
    import_workbook(company, book.content())
    [hours] = company.member.get(f"/employees/{employee_id}/inherited_calculations").json()
    assert hours["inputs_history"][""]["full_day_hours_input"] == "8"
    assert hours["inputs_history"]["2026-01-01"] == {"full_day_hours_input": "7"}


def test_new_employees_have_the_default_week(company: Company) -> None:
    [employee] = import_workbook(company, make_workbook(list(new_row(company)), new_row(company)))["created"]
    [hours] = company.member.get(f"/employees/{employee['id']}/inherited_calculations").json()
    assert hours["inputs_history"] == {"": hours["inputs"]}


def test_viewers_and_read_only_keys_cannot_import(company: Company) -> None:
    content = export_workbook(company)
    assert_problem(send_workbook(company, content, member=company.member.colleague(company.id, "viewer")), 403)
    assert_problem(send_workbook(company, content, member=company.member.with_another_key(read_only=True)), 403)


def test_drafts_of_large_imports_are_left_to_the_worker(company: Company) -> None:
    rows = [new_row(company) | {"calc.basic_salary.fixed_amount": 2000 + count} for count in range(250)]
    outcome = import_workbook(company, make_workbook(list(rows[0]), *rows))
    assert len(outcome["created"]) == 250
    assert import_workbook(company, export_workbook(company))["unchanged"] == 250


def test_a_formula_without_a_value_is_an_error(company: Company) -> None:
    company.hire()
    book = Workbook(export_workbook(company))
    cell = book.set(0, "job_title", '="Ba"&"ker"')
    errors = field_errors(send_workbook(company, book.content()))
    assert errors == {cell: "contains a formula that has not been calculated"}


def test_an_empty_number_matches_no_employee(company: Company) -> None:
    company.hire(number="None")
    row = new_row(company) | {"number": None}
    assert len(import_workbook(company, make_workbook(list(row), row))["created"]) == 1


@pytest.mark.parametrize(
    ("part", "beginning", "repeated", "end"),
    [
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row>", b"<c/>", b"</row></sheetData></worksheet>"),
        ("xl/styles.xml", b"<styleSheet><cellXfs>", b"<xf/>", b"</cellXfs></styleSheet>"),
    ],
)
def test_a_small_file_that_would_exhaust_memory_is_rejected(
    company: Company, part: str, beginning: bytes, repeated: bytes, end: bytes
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(part, beginning + repeated * 1_000_000 + end)
    assert_problem(send_workbook(company, packed.getvalue()), 400)
