"""transaction_history: selection of accounts and employee fields."""

from typing import Any

from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid
from tests.reports.report_client import report_rows, rows_of, run_report, run_report_by_query
from tests.reports.sample_payroll import SamplePayroll
from tests.support.company import Company
from tests.support.problems import field_errors

JANUARY_ALONE = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
MARCH_ALONE = {"start_date": "2026-03-01", "end_date": "2026-03-31"}


def test_accounts_can_be_selected_by_caption_name_or_number(payroll: SamplePayroll) -> None:
    night_shift = payroll.items["Night shift"]
    for names in (["Night shift", "Basic salary"], [night_shift, "basic_salary"], [str(night_shift), "BASIC SALARY"]):
        rows = report_rows(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names)
        assert [list(row) for row in rows if row["employee"] == payroll.number("Ravi")] == [
            ["employee", "Date", "Night shift", "Basic salary"]
        ]


def test_an_account_that_is_named_twice_appears_once(payroll: SamplePayroll) -> None:
    names = ["Nett pay", "nett_pay"]
    rows = report_rows(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names)
    assert all(list(row) == ["employee", "Date", "Nett pay"] for row in rows)


def test_an_account_without_a_line_is_zero(payroll: SamplePayroll) -> None:
    [row] = report_rows(
        payroll.company,
        "transaction_history",
        **JANUARY_ALONE,
        employee_ids=[payroll.people["Mei"]],
        account_names=["Night shift"],
    )
    assert row["Night shift"] == 0


def test_a_custom_item_with_a_built_in_name_has_its_own_key(payroll: SamplePayroll) -> None:
    custom_key = f"Bonus ({payroll.items['Bonus']})"
    fields = {**MARCH_ALONE, "employee_ids": [payroll.people["Mei"]], "account_names": ["Bonus", custom_key]}
    rows = report_rows(payroll.company, "transaction_history", **fields)
    assert [(row["Bonus"], row[custom_key]) for row in rows] == [(0, 0), (1234.5, 0)]
    assert (
        report_rows(payroll.company, "transaction_history", **fields | {"account_names": ["bonus", custom_key]}) == rows
    )


def test_special_payslips_have_their_own_rows(payroll: SamplePayroll) -> None:
    rows = report_rows(payroll.company, "transaction_history", **MARCH_ALONE, employee_ids=[payroll.people["Mei"]])
    assert [row["Date"] for row in rows] == ["2026-03-31", "2026-03-31"]
    assert sorted(row["Bonus"] for row in rows) == [0, 1234.5]


def test_by_default_all_accounts_that_occur_are_included(payroll: SamplePayroll) -> None:
    rows = report_rows(payroll.company, "transaction_history", **JANUARY_ALONE, employee_ids=[payroll.people["Lim"]])
    keys = list(rows[0])
    assert keys[:3] == ["employee", "Date", "Basic salary"]
    assert keys[-3:] == ["Total income", "Total deduction", "Nett pay"]
    assert "Night shift" not in keys
    empty_values: tuple[Any, ...] = (None, [])
    for empty in empty_values:
        request = {**JANUARY_ALONE, "employee_ids": [payroll.people["Lim"]], "account_names": empty}
        assert report_rows(payroll.company, "transaction_history", **request) == rows


def test_employee_fields(payroll: SamplePayroll) -> None:
    fields = ["first_name", "last_name", "pay_point_id", "appointment_date", "Shirt size", "Locker", "Shift leader"]
    rows = report_rows(
        payroll.company, "transaction_history", **MARCH_ALONE, account_names=["Basic salary"], custom_fields=fields
    )
    fields_by_employee = {row["employee"]: list(row.values())[3:] for row in rows}
    assert list(rows[0])[3:] == [
        *("First name", "Last name", "Pay point", "Appointment date", "Shirt size", "Locker", "Shift leader")
    ]
    mei = ["Mei", "Tan", "Warehouse", "2026-01-01", "Large", 'No. 7, "left"', True]
    assert fields_by_employee[payroll.number("Mei")] == mei
    assert fields_by_employee[payroll.number("Siti")] == ["Siti", "", None, "2026-02-16", None, None, None]


def test_custom_fields_can_be_selected_by_number(payroll: SamplePayroll) -> None:
    for locker in (payroll.fields["Locker"], str(payroll.fields["Locker"]), "locker"):
        rows = report_rows(payroll.company, "transaction_history", **JANUARY_ALONE, custom_fields=[locker])
        assert all("Locker" in row for row in rows)


def test_unknown_names_are_listed(payroll: SamplePayroll) -> None:
    wrong = {"account_names": ["Basic salary", "Basic pay", "x, y"], "custom_fields": ["nric", "first_name"]}
    expected = {
        "account_names": "account not found in this client: Basic pay, x, y",
        "custom_fields": "field not found in this client: nric",
    }
    assert field_errors(run_report(payroll.company, "transaction_history", **JANUARY_ALONE, **wrong)) == expected
    assert (
        field_errors(run_report_by_query(payroll.company, "transaction_history", **JANUARY_ALONE, **wrong)) == expected
    )


def test_commas_in_a_query_separate_names_or_are_part_of_them(payroll: SamplePayroll) -> None:
    names = "CPF, employee's share,Basic salary, CPF, employer's share"
    rows = rows_of(run_report_by_query(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names))
    assert list(rows[0])[2:] == ["CPF, employee's share", "Basic salary", "CPF, employer's share"]


def test_invalid_names_are_errors(payroll: SamplePayroll) -> None:
    wrongs: tuple[Any, ...] = ("Basic salary", [True], [{}], [None], {"a": 1})
    for wrong in wrongs:
        answer = run_report(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=wrong)
        assert list(field_errors(answer)) == ["account_names"]


def test_only_finalised_payslips_count(company: Company) -> None:
    hired(company)
    run_id = opened(company, JANUARY)
    assert report_rows(company, "transaction_history", **JANUARY_ALONE) == []
    assert company.member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    assert len(report_rows(company, "transaction_history", **JANUARY_ALONE)) == 1
    assert company.member.post(f"/payment_runs/{run_id}/unfinalise").status_code == 200
    assert report_rows(company, "transaction_history", **JANUARY_ALONE) == []


def test_the_wave_filter_uses_the_wave_that_paid(company: Company) -> None:
    employee_id = hired(company)
    paid(company, JANUARY)
    other = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2026-01-31")
    assert company.patch(employee_id, wave_id=other).status_code == 200
    assert len(report_rows(company, "transaction_history", **JANUARY_ALONE, wave_ids=[company.wave_id])) == 1
    assert report_rows(company, "transaction_history", **JANUARY_ALONE, wave_ids=[other]) == []


def test_names_with_special_characters_are_valid_keys(company: Company) -> None:
    name = 'Top 5% "club" \\ {0} é'
    item = {"name": name, "kind": "income", "input": "fixed", "amount": "5.00"}
    answer = company.member.post(f"/clients/{company.id}/calculation_definitions", item)
    assert answer.status_code == 200, answer.text
    employee_id = hired(company)
    body = {"calc_type": answer.json()["id"], "calculation_details": {}}
    assert company.member.post(f"/employees/{employee_id}/calculations", body).status_code == 200
    paid(company, JANUARY)
    [row] = report_rows(company, "transaction_history", **JANUARY_ALONE)
    assert row[name] == 5
