"""transaction_history: which accounts and fields there are, and how they are asked for."""

from typing import Any

from tests.payroll.payment_runs.runs import JANUARY, hired, opened, paid
from tests.reports.asking import ask, queried, rows, rows_of
from tests.reports.payroll import Payroll
from tests.support.company import Company
from tests.support.problems import faults

JANUARY_ALONE = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
MARCH_ALONE = {"start_date": "2026-03-01", "end_date": "2026-03-31"}


def test_accounts_go_by_what_people_read_by_their_names_and_by_the_numbers_of_custom_items(payroll: Payroll) -> None:
    night_shift = payroll.items["Night shift"]
    for names in (["Night shift", "Basic salary"], [night_shift, "basic_salary"], [str(night_shift), "BASIC SALARY"]):
        found = rows(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names)
        assert [list(row) for row in found if row["employee"] == payroll.number("Ravi")] == [
            ["employee", "Date", "Night shift", "Basic salary"]
        ]


def test_an_account_that_is_named_twice_is_there_once(payroll: Payroll) -> None:
    names = ["Nett pay", "nett_pay"]
    found = rows(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names)
    assert all(list(row) == ["employee", "Date", "Nett pay"] for row in found)


def test_an_account_that_a_payslip_does_not_have_is_nothing(payroll: Payroll) -> None:
    [row] = rows(
        payroll.company,
        "transaction_history",
        **JANUARY_ALONE,
        employee_ids=[payroll.people["Mei"]],
        account_names=["Night shift"],
    )
    assert row["Night shift"] == 0


def test_a_custom_item_called_like_a_system_one_is_told_apart(payroll: Payroll) -> None:
    own = f"Bonus ({payroll.items['Bonus']})"
    fields = {**MARCH_ALONE, "employee_ids": [payroll.people["Mei"]], "account_names": ["Bonus", own]}
    found = rows(payroll.company, "transaction_history", **fields)
    assert [(row["Bonus"], row[own]) for row in found] == [(0, 0), (1234.5, 0)]
    assert rows(payroll.company, "transaction_history", **fields | {"account_names": ["bonus", own]}) == found


def test_once_off_payslips_are_rows_of_their_own(payroll: Payroll) -> None:
    found = rows(payroll.company, "transaction_history", **MARCH_ALONE, employee_ids=[payroll.people["Mei"]])
    assert [row["Date"] for row in found] == ["2026-03-31", "2026-03-31"]
    assert sorted(row["Bonus"] for row in found) == [0, 1234.5]


def test_without_names_there_are_all_accounts_that_occur_and_no_others(payroll: Payroll) -> None:
    found = rows(payroll.company, "transaction_history", **JANUARY_ALONE, employee_ids=[payroll.people["Lim"]])
    keys = list(found[0])
    assert keys[:3] == ["employee", "Date", "Basic salary"]
    assert keys[-3:] == ["Total income", "Total deduction", "Nett pay"]
    assert "Night shift" not in keys
    nothings: tuple[Any, ...] = (None, [])
    for nothing in nothings:
        asked = {**JANUARY_ALONE, "employee_ids": [payroll.people["Lim"]], "account_names": nothing}
        assert rows(payroll.company, "transaction_history", **asked) == found


def test_fields_tell_who_people_are(payroll: Payroll) -> None:
    fields = ["first_name", "last_name", "pay_point_id", "appointment_date", "Shirt size", "Locker", "Shift leader"]
    found = rows(
        payroll.company, "transaction_history", **MARCH_ALONE, account_names=["Basic salary"], custom_fields=fields
    )
    told = {row["employee"]: list(row.values())[3:] for row in found}
    assert list(found[0])[3:] == [
        *("First name", "Last name", "Pay point", "Appointment date", "Shirt size", "Locker", "Shift leader")
    ]
    mei = ["Mei", "Tan", "Warehouse", "2026-01-01", "Large", 'No. 7, "left"', True]
    assert told[payroll.number("Mei")] == mei
    assert told[payroll.number("Siti")] == ["Siti", "", None, "2026-02-16", None, None, None]


def test_custom_fields_go_by_their_numbers_too(payroll: Payroll) -> None:
    for locker in (payroll.fields["Locker"], str(payroll.fields["Locker"]), "locker"):
        found = rows(payroll.company, "transaction_history", **JANUARY_ALONE, custom_fields=[locker])
        assert all("Locker" in row for row in found)


def test_unknown_names_are_listed(payroll: Payroll) -> None:
    wrong = {"account_names": ["Basic salary", "Basic pay", "x, y"], "custom_fields": ["nric", "first_name"]}
    expected = {
        "account_names": "there is no account Basic pay, x, y in this client",
        "custom_fields": "there is no field nric in this client",
    }
    assert faults(ask(payroll.company, "transaction_history", **JANUARY_ALONE, **wrong)) == expected
    assert faults(queried(payroll.company, "transaction_history", **JANUARY_ALONE, **wrong)) == expected


def test_commas_in_a_query_are_between_names_or_in_them(payroll: Payroll) -> None:
    names = "CPF, employee's share,Basic salary, CPF, employer's share"
    found = rows_of(queried(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=names))
    assert list(found[0])[2:] == ["CPF, employee's share", "Basic salary", "CPF, employer's share"]


def test_names_that_are_no_names_are_faults(payroll: Payroll) -> None:
    wrongs: tuple[Any, ...] = ("Basic salary", [True], [{}], [None], {"a": 1})
    for wrong in wrongs:
        answer = ask(payroll.company, "transaction_history", **JANUARY_ALONE, account_names=wrong)
        assert list(faults(answer)) == ["account_names"]


def test_only_finalised_payslips_count(company: Company) -> None:
    hired(company)
    run_id = opened(company, JANUARY)
    assert rows(company, "transaction_history", **JANUARY_ALONE) == []
    assert company.member.post(f"/payment_runs/{run_id}/finalise").status_code == 200
    assert len(rows(company, "transaction_history", **JANUARY_ALONE)) == 1
    assert company.member.post(f"/payment_runs/{run_id}/unfinalise").status_code == 200
    assert rows(company, "transaction_history", **JANUARY_ALONE) == []


def test_a_wave_is_the_one_that_paid(company: Company) -> None:
    someone = hired(company)
    paid(company, JANUARY)
    other = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2026-01-31")
    assert company.patch(someone, wave_id=other).status_code == 200
    assert len(rows(company, "transaction_history", **JANUARY_ALONE, wave_ids=[company.wave_id])) == 1
    assert rows(company, "transaction_history", **JANUARY_ALONE, wave_ids=[other]) == []


def test_a_name_with_a_percent_sign_or_quotes_is_a_key_like_any_other(company: Company) -> None:
    name = 'Top 5% "club" \\ {0} é'
    item = {"name": name, "kind": "income", "input": "fixed", "amount": "5.00"}
    answer = company.member.post(f"/clients/{company.id}/calculation_definitions", item)
    assert answer.status_code == 200, answer.text
    someone = hired(company)
    body = {"calc_type": answer.json()["id"], "calculation_details": {}}
    assert company.member.post(f"/employees/{someone}/calculations", body).status_code == 200
    paid(company, JANUARY)
    [row] = rows(company, "transaction_history", **JANUARY_ALONE)
    assert row[name] == 5
