"""POST /clients/:client_id/employees/import."""

import io
import itertools
import zipfile
from typing import Any

import pytest

from tests.imports.employees.workbooks import XLSX, Workbook, exported, flat, imported, send, sheet_of
from tests.support.company import BANK_ACCOUNT, Company, attributes, new_nric, of_status
from tests.support.problems import faults, refused
from tests.support.running import Member, created


@pytest.fixture
def staffed(company: Company) -> Company:
    """A company with people of several kinds, for whom much is entered."""
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


def in_wave(company: Company, **changes: Any) -> dict[str, Any]:
    """The row of a new employee."""
    return flat({"wave_id": company.wave_id, **attributes(**changes)})


def test_an_exported_workbook_imported_unchanged_does_nothing_at_all(staffed: Company) -> None:
    before = staffed.member.service.fingerprint()
    outcome = imported(staffed, exported(staffed))
    assert outcome == {
        "message": "0 employees have been added, 0 changed; 5 rows say what is there already",
        "dry_run": False,
        "created": [],
        "updated": [],
        "unchanged": 5,
    }
    assert staffed.member.service.fingerprint() == before


def test_the_same_after_another_program_has_saved_it(staffed: Company) -> None:
    before = staffed.member.service.fingerprint()
    assert imported(staffed, Workbook(exported(staffed)).content())["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before


def test_a_workbook_with_masked_identifiers_changes_none_of_them(staffed: Company) -> None:
    hiding = staffed.member.with_another_key(hide_identifiers=True)
    content = exported(staffed, hiding)
    before = staffed.member.service.fingerprint()
    for member in (hiding, staffed.member):
        assert imported(staffed, content, member=member)["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before
    book = Workbook(content)
    book.set(0, "job_title", "Baker")
    assert len(imported(staffed, book.content(), member=hiding)["updated"]) == 1
    assert staffed.listed()[0]["bank_account"] == BANK_ACCOUNT


def test_a_masked_identifier_in_another_row_is_a_fault(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    cell = book.set(1, "fin", "*****999X")
    assert set(faults(send(staffed, book.content()))) == {cell}


def test_three_bad_cells_are_all_named_and_nothing_is_saved(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    book.set(0, "first_name", "Changed")
    bad = {
        book.set(0, "bank_account.branch_code", "05"): "must be exactly 3 characters",
        book.set(1, "birthdate", "yesterday"): "must be a date such as 2026-03-31",
        book.set(2, "calc.basic_salary.fixed_amount", -5): "must not be negative",
    }
    before = staffed.member.service.fingerprint()
    for query in ("?dry_run=true", ""):
        answer = send(staffed, book.content(), query)
        assert faults(answer) == bad
        assert answer.json()["message"] == "3 cells are not valid; nothing has been saved"
    assert staffed.member.service.fingerprint() == before


def test_what_is_changed_is_saved_and_nothing_else(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    before = staffed.listed()
    book.set(0, "job_title", "Baker")
    book.set(0, "calc.basic_salary.fixed_amount", 4300.55)
    book.set(0, "physical_address.level_no", 11)
    outcome = imported(staffed, book.content())
    assert outcome["updated"] == [{"row": "Employees!A3", "id": before[0]["id"], "number": "007"}]
    assert outcome["unchanged"] == 4
    first, *others = staffed.listed()
    assert others == before[1:]
    assert (first["job_title"], first["physical_address"]["level_no"]) == ("Baker", "11")
    changed = {"job_title", "physical_address", "updated_at"}
    assert {name for name in first if first[name] != before[0][name]} == changed
    assert "'4300.55'" in str(staffed.member.get(f"/employees/{first['id']}/calculations").json())


def test_the_draft_follows_what_was_imported(company: Company) -> None:
    employee_id = company.hire()
    book = Workbook(exported(company))
    book.set(0, "calc.basic_salary.fixed_amount", 3000)
    imported(company, book.content())
    [payslip] = company.member.get(f"/employees/{employee_id}/payslips").json()
    data = company.member.get(f"/payslips/{payslip['payslip']['id']}").json()
    assert "3000.00" in str(data)


def test_an_emptied_cell_clears_and_a_missing_column_leaves_alone(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    for key in [key for key in book.columns if key.startswith("physical_address.")]:
        book.set(0, key, None)
    book.set(0, "job_title", None)
    book.set(0, "calc.annual_bonus.months", " ")
    imported(staffed, book.content())
    first = staffed.listed()[0]
    assert (first["physical_address"], first["job_title"]) == (None, None)
    small = sheet_of(["id", "email"], {"id": first["id"], "email": "mei@example.com"})
    imported(staffed, small)
    assert staffed.listed()[0] == {**first, "email": "mei@example.com", "updated_at": staffed.listed()[0]["updated_at"]}


def test_rows_without_an_id_or_a_known_number_are_new_employees(company: Company) -> None:
    known = company.hire(number="K1")
    rows = [
        {"number": "K1", "job_title": "Baker"},
        in_wave(company, payment_method="eft_manual", bank_account=BANK_ACCOUNT)
        | {"calc.basic_salary.fixed_amount": "2500.00", "calc.week_hours.schedule": "casual"},
        in_wave(company, number="N9"),
    ]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    only = {key: company.employee(known).get(key) for key in keys if "." not in key}
    rows[0] = only | rows[0]
    outcome = imported(company, sheet_of(keys, *rows))
    assert [one["id"] for one in outcome["updated"]] == [known]
    first, second = outcome["created"]
    assert (first["number"], second["number"]) == ("1", "N9")
    assert company.employee(first["id"])["bank_account"] == BANK_ACCOUNT
    assert company.employee(known)["job_title"] == "Baker"
    [hours] = company.member.get(f"/employees/{first['id']}/inherited_calculations").json()
    assert hours["inputs"] == {"schedule": "casual"}
    calculations = company.member.get(f"/employees/{first['id']}/calculations").json()
    assert "2500.00" in str(calculations)
    assert len(company.member.get(f"/employees/{second['id']}/payslips").json()) == 1


def test_columns_can_stand_in_any_order_and_captions_are_for_people(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    rows = book.rows
    keys = list(reversed(book.columns))
    before = staffed.member.service.fingerprint()
    assert imported(staffed, sheet_of(keys, *rows))["unchanged"] == 5
    assert staffed.member.service.fingerprint() == before


def test_a_dry_run_says_what_would_be_done_and_saves_nothing(company: Company) -> None:
    employee_id = company.hire()
    keys = ["id", "job_title", *in_wave(company)]
    content = sheet_of(keys, {**company.employee(employee_id), "job_title": "Baker"}, in_wave(company))
    before = company.member.service.fingerprint()
    outcome = imported(company, content, "?dry_run=true")
    assert (outcome["dry_run"], len(outcome["updated"])) == (True, 1)
    assert [one["id"] for one in outcome["created"]] == [None]
    assert company.member.service.fingerprint() == before
    done = imported(company, content)
    assert (len(done["updated"]), len(done["created"])) == (1, 1)


def test_a_dry_run_and_the_import_are_not_the_same_request(company: Company) -> None:
    content = sheet_of(list(in_wave(company)), in_wave(company))
    headers = {"Content-Type": XLSX, "Idempotency-Key": "once"}
    where = f"{company.people}/import"
    assert company.member.call("POST", f"{where}?dry_run=true", content=content, headers=headers).status_code == 200
    told = faults(company.member.call("POST", where, content=content, headers=headers))
    assert told == {"Idempotency-Key": "was used before with a different request"}
    assert company.listed() == []
    other = headers | {"Idempotency-Key": "twice"}
    for _ in range(2):
        assert company.member.call("POST", where, content=content, headers=other).status_code == 200
    assert len(company.listed()) == 1


def test_every_fault_of_new_rows_is_named_by_its_cell(company: Company) -> None:
    nric = new_nric()
    rows = [
        in_wave(company, nric=nric) | {"calc.annual_bonus.amount": 5, "calc.annual_bonus.months": 1},
        in_wave(company, nric=nric, gender="X") | {"calc.week_hours.works_mon": True},
        in_wave(company, payment_method="eft_manual") | {"number": "#N/A"},
    ]
    keys = list(dict.fromkeys(itertools.chain(*rows, ["bank_account.bank_id"])))
    book = Workbook(sheet_of(["", *keys], *rows))
    told = faults(send(company, book.content()))
    where = {key: book.sheet.cell(1, place + 2).column_letter for place, key in enumerate(keys)}
    excludes = "excludes {0}; to change over, send {0} as null"
    assert told == {
        f"Employees!{where['calc.annual_bonus.amount']}2": excludes.format("months"),
        f"Employees!{where['calc.annual_bonus.months']}2": excludes.format("amount"),
        f"Employees!{where['gender']}3": "must be one of M, F",
        f"Employees!{where['nric']}3": f"is the same as Employees!{where['nric']}2",
        f"Employees!{where['calc.week_hours.works_mon']}3": "is only possible when schedule is fixed",
        f"Employees!{where['bank_account.bank_id']}4": "is required when payment_method is eft_manual",
        f"Employees!{where['number']}4": "#N/A is an error of the spreadsheet",
    }
    assert company.listed() == []


def test_what_there_is_no_column_for_is_told_at_the_row(company: Company) -> None:
    row = in_wave(company)
    del row["race"]
    assert faults(send(company, sheet_of(list(row), row))) == {"Employees!A2": "race: is required"}


def test_unknown_columns_are_named_and_columns_without_a_key_are_not_read(company: Company) -> None:
    keys = ["first_name", "nirc", "calc.basic_salery.fixed_amount", "calc.loan.balans", "custom_fields.99"]
    told = faults(send(company, sheet_of([*keys, keys[0]])))
    assert told == {
        "Employees!B1": "is no attribute of an employee; did you mean nric?",
        "Employees!C1": "there is no calculation 'basic_salery'; did you mean basic_salary?",
        "Employees!D1": "loan has no such input; did you mean balance?",
        "Employees!E1": "there is no such custom field in this client",
        "Employees!F1": "is there twice; leave one of the two columns out",
    }
    employee_id = company.hire()
    book = Workbook(exported(company))
    book.sheet.cell(3, len(book.columns) + 2).value = "a remark of somebody"
    assert imported(company, book.content())["unchanged"] == 1
    assert company.employee(employee_id)


def test_rows_that_name_nobody_or_somebody_twice_are_faults(company: Company, account: Member) -> None:
    stranger = Company.of(account.service.new_account()).hire()
    mine = company.hire(number="K1")
    rows: list[dict[str, Any]] = [{"id": stranger}, {"id": "Mei"}, {"id": mine}, {"number": "K1"}]
    told = faults(send(company, sheet_of(["id", "number"], *rows)))
    twice = f"employee {mine} is there more than once; leave one row"
    assert told == {
        "Employees!A2": f"there is no employee {stranger} in this client",
        "Employees!A3": "must be the ID of an employee",
        "Employees!A4": twice,
        "Employees!A5": twice,
    }


def test_a_number_or_identifier_of_somebody_else_is_a_fault(staffed: Company) -> None:
    book = Workbook(exported(staffed))
    number = book.set(1, "number", "007")
    fin = book.set(1, "fin", str(book.rows[2]["fin"]))
    told = faults(send(staffed, book.content()))
    assert told == {
        number: "is the number of another employee of this client",
        fin: "is the FIN of another employee of this client",
    }


def test_changes_of_wave_and_appointment_are_made_with_their_periods(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(frequency="weekly", first_end_date="2024-01-05")
    book = Workbook(exported(company))
    book.set(0, "wave_id", weekly)
    book.set(0, "appointment_date", "2024-03-01")
    imported(company, book.content())
    assert company.service_of(employee_id) == [("2024-03-01", None)]
    assert company.employee(employee_id)["wave_id"] == weekly
    book.set(0, "wave_id", 999999)
    told = faults(send(company, book.content()))
    assert told == {book.cell(0, "wave_id"): "there is no wave 999999 in this client"}


def test_regular_hours_that_change_by_date_are_not_overwritten(company: Company) -> None:
    employee_id = company.hire()
    for since in ({}, {"effective_date": "2026-01-01"}):
        hours = {"schedule": "fixed", "full_day_hours_input": "9" if since else "8"}
        body = {"calc_type": "week_hours", "calculation_details": hours, **since}
        created(company.member.post(f"/employees/{employee_id}/calculations", body))
    book = Workbook(exported(company))
    assert imported(company, book.content())["unchanged"] == 1
    cell = book.set(0, "calc.week_hours.full_day_hours_input", 7)
    assert "effective_date" in faults(send(company, book.content()))[cell]


def test_who_may_only_read_may_not_import(company: Company) -> None:
    content = exported(company)
    refused(send(company, content, member=company.member.colleague(company.id, "viewer")), 403)
    refused(send(company, content, member=company.member.with_another_key(read_only=True)), 403)


def test_many_are_imported_and_their_drafts_are_left_to_the_worker(company: Company) -> None:
    rows = [in_wave(company) | {"calc.basic_salary.fixed_amount": 2000 + count} for count in range(250)]
    outcome = imported(company, sheet_of(list(rows[0]), *rows))
    assert len(outcome["created"]) == 250
    assert imported(company, exported(company))["unchanged"] == 250


def test_a_formula_counts_by_its_value_and_one_without_is_a_fault(company: Company) -> None:
    company.hire()
    book = Workbook(exported(company))
    cell = book.set(0, "job_title", '="Ba"&"ker"')
    told = faults(send(company, book.content()))
    assert told == {cell: "a formula that has no value yet is an error of the spreadsheet"}


def test_an_empty_number_is_nobodys_even_if_somebody_is_called_none(company: Company) -> None:
    company.hire(number="None")
    row = in_wave(company) | {"number": None}
    assert len(imported(company, sheet_of(list(row), row))["created"]) == 1


@pytest.mark.parametrize(
    ("part", "beginning", "repeated", "end"),
    [
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row>", b"<c/>", b"</row></sheetData></worksheet>"),
        ("xl/styles.xml", b"<styleSheet><cellXfs>", b"<xf/>", b"</cellXfs></styleSheet>"),
    ],
)
def test_a_small_file_that_would_fill_the_memory_is_refused(
    company: Company, part: str, beginning: bytes, repeated: bytes, end: bytes
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(part, beginning + repeated * 1_000_000 + end)
    refused(send(company, packed.getvalue()), 400)
