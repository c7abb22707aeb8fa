"""POST calculations of clients, employees and payslips: create or change."""

from functools import partial
from typing import Any

import pytest

from tests.payroll.calculations.entered import FIELDS, draft, enter, entered, finalise, item, listed, one
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.races import at_once


@pytest.fixture
def employee(company: Company) -> str:
    """Where the calculations of a fresh employee are."""
    return f"employees/{company.hire()}"


def refusal(company: Company, where: str, calc_type: Any, **details: Any) -> dict[str, str]:
    """The faults of a calculation, which leaves nothing behind."""
    before = company.member.service.fingerprint()
    found = faults(enter(company, where, calc_type, **details))
    assert company.member.service.fingerprint() == before
    return found


def test_it_works(company: Company, employee: str) -> None:
    answer = enter(company, employee, "basic_salary", pay_type="monthly", fixed_amount=4200)
    assert answer.json() == {"message": "The calculation has been created", "id": answer.json()["id"]}
    [row] = listed(company, employee)
    assert list(row) == [*FIELDS, "system_type"]
    assert row["id"] == answer.json()["id"]
    assert (row["client_id"], row["employee_id"], row["payslip_id"]) == (company.id, int(employee[10:]), None)
    assert row["inputs"] == {"pay_type": "monthly", "fixed_amount": "4200.00"}
    assert row["system_type"] == "basic_salary"
    assert (row["calculation_id"], row["calculation_def_id"], row["profile_id"]) == (None, None, None)
    assert (row["skip"], row["skip_rule"], row["deleted"], row["multiplier"]) == (False, False, False, None)
    assert row["overrides"] == row["input_formulas"] == {}
    assert company.member.get(f"/calculations/{row['id']}").json() == row


def test_every_level_can_be_written(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    owners = {
        f"clients/{company.id}": (None, None),
        f"employees/{employee_id}": (employee_id, None),
        f"payslips/{payslip_id}": (employee_id, payslip_id),
    }
    for where, (employee, payslip) in owners.items():
        calculation_id = entered(company, where, "transport_allowance", amount="100")
        row = company.member.get(f"/calculations/{calculation_id}").json()
        assert (row["client_id"], row["employee_id"], row["payslip_id"]) == (company.id, employee, payslip)
        assert row["inputs"] == {"amount": "100.00"}


def test_the_same_type_again_changes_only_what_is_supplied(company: Company, employee: str) -> None:
    first = entered(company, employee, "transport_allowance", amount="100", prorate=True)
    answer = enter(company, employee, "transport_allowance", amount="150.50")
    assert answer.json() == {"message": "The calculation has been updated", "id": first}
    assert one(company, employee, "transport_allowance")["inputs"] == {"amount": "150.50", "prorate": True}


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_null_clears_an_input(company: Company, employee: str, nothing: Any) -> None:
    entered(company, employee, "transport_allowance", amount="100", prorate=True)
    entered(company, employee, "transport_allowance", amount=nothing)
    assert one(company, employee, "transport_allowance")["inputs"] == {"prorate": True}


def test_a_custom_item_is_entered_by_its_number(company: Company, employee: str) -> None:
    night = item(company, name="Night shift", kind="allowance", input="rate_quantity")
    entered(company, employee, night, rate=12, quantity="2.5")
    entered(company, employee, str(night), quantity=3)
    row = one(company, employee, night)
    assert list(row) == FIELDS
    assert row["inputs"] == {"rate": "12.00", "quantity": "3"}


@pytest.mark.parametrize(
    ("calc_type", "details", "expected"),
    [
        ("basic_salry", {}, {"calc_type": "there is no calculation 'basic_salry'; did you mean basic_salary?"}),
        ("Basic Salary", {}, {"calc_type": "there is no calculation 'Basic Salary'; did you mean basic_salary?"}),
        ("zzz", {}, {"calc_type": "there is no calculation 'zzz'"}),
        ("", {}, {"calc_type": "is required"}),
        (None, {}, {"calc_type": "is required"}),
        (4.5, {}, {"calc_type": "must be the name of a calculation, or the number of a custom item"}),
        ("bonus\0", {}, {"calc_type": "must be the name of a calculation, or the number of a custom item"}),
        (999999999, {}, {"calc_type": "there is no calculation '999999999'"}),
        (
            "cpf_employee",
            {},
            {"calc_type": "CPF, employee's share is computed by law; there is nothing to enter for it"},
        ),
        ("sdl", {}, {"calc_type": "Skills development levy is computed by law; there is nothing to enter for it"}),
        (
            "basic_salary",
            {"fixed_ammount": 1, "pay_type": "yearly", "hours_input": 800},
            {
                "calculation_details.fixed_ammount": "basic_salary has no such input; did you mean fixed_amount?",
                "calculation_details.pay_type": "must be one of monthly, daily, hourly",
                "calculation_details.hours_input": "must not be above 744",
            },
        ),
        (
            "loan",
            {"x": 1},
            {"calculation_details.x": "loan has no such input; its inputs are balance, instalment, start_date"},
        ),
        ("transport_allowance", {"amount": -1}, {"calculation_details.amount": "must not be negative"}),
        ("transport_allowance", {"amount": "1.005"}, {"calculation_details.amount": "must not have parts of a cent"}),
        ("transport_allowance", {"amount": 1e9}, {"calculation_details.amount": "must not be above 100,000,000.00"}),
        (
            "transport_allowance",
            {"amount": "a lot"},
            {"calculation_details.amount": "must be an amount such as 1234.50"},
        ),
        ("transport_allowance", {"amount": [1]}, {"calculation_details.amount": "must be an amount such as 1234.50"}),
        (
            "transport_allowance",
            {"amount": "1_000"},
            {"calculation_details.amount": "must be an amount such as 1234.50"},
        ),
        ("notice_pay", {"days": "٣"}, {"calculation_details.days": "must be a number such as 1.5"}),
        ("transport_allowance", {"prorate": "yes"}, {"calculation_details.prorate": "must be true or false"}),
        ("loan", {"start_date": "2026-02-30"}, {"calculation_details.start_date": "must be a date such as 2026-03-31"}),
        (
            "annual_bonus",
            {"amount": 500, "months": 2},
            {
                "calculation_details.amount": "excludes months; to change over, send months as null",
                "calculation_details.months": "excludes amount; to change over, send amount as null",
            },
        ),
        (
            "basic_salary",
            {"overtime_hours_input": 3},
            {"calculation_details.overtime_hours_input": "can only be entered for a payslip"},
        ),
        ("unpaid_leave", {"days": 3}, {"calculation_details.days": "can only be entered for a payslip"}),
    ],
)
def test_every_fault_is_named(
    company: Company, employee: str, calc_type: Any, details: dict[str, Any], expected: dict[str, str]
) -> None:
    assert refusal(company, employee, calc_type, **details) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"calc_type": "is required"}),
        ({"calc_type": "bonus"}, {"calculation_details": "is required"}),
        ({"calc_type": "bonus", "calculation_details": None}, {"calculation_details": "is required"}),
        ({"calc_type": "bonus", "calculation_details": 5}, {"calculation_details": "must be an object of inputs"}),
        (
            {"calc_type": "bonus", "calculation_details": {}, "skip": "often", "multiplier": -1},
            {"skip": "must be true or false", "multiplier": "must not be negative"},
        ),
        (
            {"calc_type": "bonus", "calculation_details": {}, "deleted": True},
            {"deleted": "is only possible on a payslip; delete the calculation instead"},
        ),
        (
            {"calc_type": "cdac", "calculation_details": {}, "skip": True, "multiplier": 2},
            {"skip": "is not possible for cdac", "multiplier": "is not possible for cdac"},
        ),
    ],
)
def test_what_stands_around_the_inputs_is_checked_too(
    company: Company, employee: str, body: dict[str, Any], expected: dict[str, str]
) -> None:
    before = company.member.service.fingerprint()
    assert faults(company.member.post(f"/{employee}/calculations", body)) == expected
    assert company.member.service.fingerprint() == before


def test_an_alternative_is_changed_over_by_clearing_the_other(company: Company, employee: str) -> None:
    entered(company, employee, "annual_bonus", amount=500)
    assert refusal(company, employee, "annual_bonus", months=2) == {
        "calculation_details.months": "excludes amount; to change over, send amount as null"
    }
    entered(company, employee, "annual_bonus", months=2, amount=None)
    assert one(company, employee, "annual_bonus")["inputs"] == {"months": "2"}


def test_inputs_of_a_payslip_are_entered_there(company: Company) -> None:
    where = f"payslips/{draft(company, company.hire())}"
    entered(company, where, "basic_salary", overtime_hours_input="3.5", rest_day_employer_days="1.5")
    assert one(company, where, "basic_salary")["inputs"] == {
        "overtime_hours_input": "3.5",
        "rest_day_employer_days": "1.5",
    }
    assert refusal(company, where, "basic_salary", rest_day_employee_days="0.3") == {
        "calculation_details.rest_day_employee_days": "must be a number of halves, such as 1.5"
    }


def test_an_amount_of_a_per_payslip_item_is_entered_on_payslips_alone(company: Company) -> None:
    employee_id = company.hire()
    shift = item(company, name="Shift", kind="allowance", input="per_payslip")
    assert refusal(company, f"employees/{employee_id}", shift, amount=5) == {
        "calculation_details.amount": "can only be entered for a payslip"
    }
    entered(company, f"payslips/{draft(company, employee_id)}", shift, amount=5)


def test_a_payslip_skips_multiplies_and_deletes(company: Company) -> None:
    employee_id = company.hire()
    entered(company, f"employees/{employee_id}", "transport_allowance", amount=100)
    where = f"/payslips/{draft(company, employee_id)}/calculations"
    created = company.member.post(where, {"calc_type": "transport_allowance", "skip": True}).json()["id"]
    assert company.member.get(f"/calculations/{created}").json()["skip"] is True
    body = {"calc_type": "transport_allowance", "deleted": "true", "multiplier": "0.5", "skip": None}
    assert company.member.post(where, body).json()["id"] == created
    row = company.member.get(f"/calculations/{created}").json()
    assert (row["skip"], row["deleted"], row["multiplier"]) == (False, True, 0.5)


def test_nothing_can_be_entered_for_a_finalised_payslip(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    calculation_id = entered(company, f"payslips/{payslip_id}", "bonus", amount=5)
    day = finalise(company, payslip_id)
    before = company.member.service.fingerprint()
    for answer in (
        enter(company, f"payslips/{payslip_id}", "bonus", amount=6),
        company.member.patch(f"/calculations/{calculation_id}", {"calculation_details": {"amount": 6}}),
        company.member.delete(f"/calculations/{calculation_id}"),
    ):
        message = refused(answer, 409)["message"]
        assert message == f"Payslip {payslip_id} of {day} is finalised and cannot change; unfinalise its pay run first"
    assert company.member.service.fingerprint() == before
    assert one(company, f"payslips/{payslip_id}", "bonus")["inputs"] == {"amount": "5.00"}


def test_an_effective_date_of_another_calculation_is_ignored_and_said(company: Company, employee: str) -> None:
    body = {"calc_type": "bonus", "calculation_details": {"amount": 5}, "effective_date": "2026-01-01", "inptus": {}}
    answer = company.member.post(f"/{employee}/calculations", {"calculation": body})
    assert answer.json()["warnings"] == {
        "effective_date": "Only inherited calculations have one, ignored.",
        "inptus": "Unknown attribute, ignored.",
    }


def test_of_two_that_enter_at_one_moment_neither_is_lost(company: Company, employee: str) -> None:
    for where in (employee, f"clients/{company.id}"):
        given: tuple[dict[str, Any], ...] = ({"amount": 5}, {"prorate": True})
        answers = at_once([partial(enter, company, where, "meal_allowance", **details) for details in given])
        assert [answer.status_code for answer in answers] == [200, 200]
        assert one(company, where, "meal_allowance")["inputs"] == {"amount": "5.00", "prorate": True}


def test_a_huge_body_of_unknown_inputs_gets_a_short_answer(company: Company, employee: str) -> None:
    found = refusal(company, employee, "bonus", **{f"x{number}": 1 for number in range(20000)})
    assert len(found) == 50


def test_records_that_are_not_there_are_not_found(company: Company) -> None:
    for where in ("clients", "employees", "payslips"):
        refused(enter(company, f"{where}/999999999", "bonus", amount=5), 404)
