"""POST calculations of clients, employees and payslips: create or update."""

from functools import partial
from typing import Any

import pytest

from tests.payroll.calculations.requests import (
    FIELDS,
    create_calculation,
    create_item,
    draft_id,
    finalise,
    find_calculation,
    list_calculations,
    post_calculation,
)
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once


@pytest.fixture
def employee(company: Company) -> str:
    """The path of a new employee."""
    return f"employees/{company.hire()}"


def post_errors(company: Company, owner: str, calc_type: Any, **details: Any) -> dict[str, str]:
    """Return the errors of an invalid calculation, after checking that nothing was saved."""
    before = company.member.service.fingerprint()
    errors = field_errors(post_calculation(company, owner, calc_type, **details))
    assert company.member.service.fingerprint() == before
    return errors


def test_a_calculation_is_created_and_listed(company: Company, employee: str) -> None:
    answer = post_calculation(company, employee, "basic_salary", pay_type="monthly", fixed_amount=4200)
    assert answer.json() == {"message": "The calculation has been created", "id": answer.json()["id"]}
    [row] = list_calculations(company, employee)
    assert list(row) == [*FIELDS, "system_type"]
    assert row["id"] == answer.json()["id"]
    assert (row["client_id"], row["employee_id"], row["payslip_id"]) == (company.id, int(employee[10:]), None)
    assert row["inputs"] == {"pay_type": "monthly", "fixed_amount": "4200.00"}
    assert row["system_type"] == "basic_salary"
    assert (row["calculation_id"], row["calculation_def_id"], row["profile_id"]) == (None, None, None)
    assert (row["skip"], row["skip_rule"], row["deleted"], row["multiplier"]) == (False, False, False, None)
    assert row["overrides"] == row["input_formulas"] == {}
    assert company.member.get(f"/calculations/{row['id']}").json() == row


def test_calculations_can_be_created_at_every_level(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft_id(company, employee_id)
    owners = {
        f"clients/{company.id}": (None, None),
        f"employees/{employee_id}": (employee_id, None),
        f"payslips/{payslip_id}": (employee_id, payslip_id),
    }
    for owner, (employee, payslip) in owners.items():
        calculation_id = create_calculation(company, owner, "transport_allowance", amount="100")
        row = company.member.get(f"/calculations/{calculation_id}").json()
        assert (row["client_id"], row["employee_id"], row["payslip_id"]) == (company.id, employee, payslip)
        assert row["inputs"] == {"amount": "100.00"}


def test_posting_the_same_type_again_updates_the_calculation(company: Company, employee: str) -> None:
    first = create_calculation(company, employee, "transport_allowance", amount="100", prorate=True)
    answer = post_calculation(company, employee, "transport_allowance", amount="150.50")
    assert answer.json() == {"message": "The calculation has been updated", "id": first}
    assert find_calculation(company, employee, "transport_allowance")["inputs"] == {
        "amount": "150.50",
        "prorate": "true",
    }


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_null_clears_an_input(company: Company, employee: str, blank: Any) -> None:
    create_calculation(company, employee, "transport_allowance", amount="100", prorate=True)
    create_calculation(company, employee, "transport_allowance", amount=blank)
    assert find_calculation(company, employee, "transport_allowance")["inputs"] == {"prorate": "true"}


def test_a_custom_item_is_given_by_number(company: Company, employee: str) -> None:
    night = create_item(company, name="Night shift", kind="allowance", input="rate_quantity")
    create_calculation(company, employee, night, rate=12, quantity="2.5")
    create_calculation(company, employee, str(night), quantity=3)
    row = find_calculation(company, employee, night)
    assert list(row) == FIELDS
    assert row["inputs"] == {"rate": "12.00", "quantity": "3"}


@pytest.mark.parametrize(
    ("calc_type", "details", "expected"),
    [
        (
            "basic_salry",
            {},
            {"calc_type": "calculation 'basic_salry' does not exist in this client; did you mean basic_salary?"},
        ),
        (
            "Basic Salary",
            {},
            {"calc_type": "calculation 'Basic Salary' does not exist in this client; did you mean basic_salary?"},
        ),
        ("zzz", {}, {"calc_type": "calculation 'zzz' does not exist in this client"}),
        ("", {}, {"calc_type": "is required"}),
        (None, {}, {"calc_type": "is required"}),
        (4.5, {}, {"calc_type": "must be the name of a calculation, or the number of a custom item"}),
        ("bonus\0", {}, {"calc_type": "must be the name of a calculation, or the number of a custom item"}),
        (999999999, {}, {"calc_type": "calculation '999999999' does not exist in this client"}),
        (
            "cpf_employee",
            {},
            {"calc_type": "CPF, employee's share is calculated by law and has no inputs"},
        ),
        ("sdl", {}, {"calc_type": "Skills development levy is calculated by law and has no inputs"}),
        (
            "basic_salary",
            {"fixed_ammount": 1, "pay_type": "yearly", "hours_input": 800},
            {
                "calculation_details.fixed_ammount": "is not an input of basic_salary; did you mean fixed_amount?",
                "calculation_details.pay_type": "must be one of monthly, daily, hourly",
                "calculation_details.hours_input": "must be at most 744",
            },
        ),
        (
            "loan",
            {"x": 1},
            {"calculation_details.x": "is not an input of loan; the inputs are balance, instalment, start_date"},
        ),
        ("transport_allowance", {"amount": -1}, {"calculation_details.amount": "must not be negative"}),
        ("transport_allowance", {"amount": "1.005"}, {"calculation_details.amount": "must have at most 2 decimals"}),
        ("transport_allowance", {"amount": 1e9}, {"calculation_details.amount": "must be at most 100000000"}),
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
        ("notice_pay", {"days": "٣"}, {"calculation_details.days": "must be a number such as 12.5"}),
        ("transport_allowance", {"prorate": "yes"}, {"calculation_details.prorate": "must be true or false"}),
        ("loan", {"start_date": "2026-02-30"}, {"calculation_details.start_date": "must be a date such as 2026-03-31"}),
        (
            "annual_bonus",
            {"amount": 500, "months": 2},
            {
                "calculation_details.amount": "cannot be combined with months; to switch, send months as null",
                "calculation_details.months": "cannot be combined with amount; to switch, send amount as null",
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
def test_every_error_is_reported(
    company: Company, employee: str, calc_type: Any, details: dict[str, Any], expected: dict[str, str]
) -> None:
    assert post_errors(company, employee, calc_type, **details) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"calc_type": "is required", "calculation_details": "is required"}),
        ({"calc_type": "bonus"}, {"calculation_details": "is required"}),
        ({"calc_type": "bonus", "calculation_details": None}, {"calculation_details": "is required"}),
        ({"calc_type": "bonus", "calculation_details": 5}, {"calculation_details": "must be an object"}),
        (
            {"calc_type": "bonus", "calculation_details": {}, "skip": "often", "multiplier": -1},
            {"skip": "must be true or false", "multiplier": "must not be negative"},
        ),
        (
            {"calc_type": "bonus", "calculation_details": {}, "deleted": True},
            {"deleted": "is only allowed on a payslip; delete the calculation instead"},
        ),
        (
            {"calc_type": "cdac", "calculation_details": {}, "skip": True, "multiplier": 2},
            {"skip": "is not allowed for cdac", "multiplier": "is not allowed for cdac"},
        ),
    ],
)
def test_the_other_attributes_are_validated(
    company: Company, employee: str, body: dict[str, Any], expected: dict[str, str]
) -> None:
    before = company.member.service.fingerprint()
    assert field_errors(company.member.post(f"/{employee}/calculations", body)) == expected
    assert company.member.service.fingerprint() == before


def test_an_alternative_replaces_another_that_is_cleared(company: Company, employee: str) -> None:
    create_calculation(company, employee, "annual_bonus", amount=500)
    assert post_errors(company, employee, "annual_bonus", months=2) == {
        "calculation_details.months": "cannot be combined with amount; to switch, send amount as null"
    }
    create_calculation(company, employee, "annual_bonus", months=2, amount=None)
    assert find_calculation(company, employee, "annual_bonus")["inputs"] == {"months": "2"}


def test_payslip_inputs_are_saved_on_payslips(company: Company) -> None:
    payslip = f"payslips/{draft_id(company, company.hire())}"
    create_calculation(company, payslip, "basic_salary", overtime_hours_input="3.5", rest_day_employer_days="1.5")
    assert find_calculation(company, payslip, "basic_salary")["inputs"] == {
        "overtime_hours_input": "3.5",
        "rest_day_employer_days": "1.5",
    }
    assert post_errors(company, payslip, "basic_salary", rest_day_employee_days="0.3") == {
        "calculation_details.rest_day_employee_days": "must be a multiple of 0.5"
    }


def test_the_amount_of_a_per_payslip_item_is_saved_only_on_payslips(company: Company) -> None:
    employee_id = company.hire()
    shift = create_item(company, name="Shift", kind="allowance", input="per_payslip")
    assert post_errors(company, f"employees/{employee_id}", shift, amount=5) == {
        "calculation_details.amount": "can only be entered for a payslip"
    }
    create_calculation(company, f"payslips/{draft_id(company, employee_id)}", shift, amount=5)


def test_a_payslip_can_skip_multiply_and_delete_items(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"employees/{employee_id}", "transport_allowance", amount=100)
    path = f"/payslips/{draft_id(company, employee_id)}/calculations"
    calculation_id = company.member.post(path, {"calc_type": "transport_allowance", "skip": True}).json()["id"]
    assert company.member.get(f"/calculations/{calculation_id}").json()["skip"] is True
    body = {"calc_type": "transport_allowance", "deleted": "true", "multiplier": "0.5", "skip": None}
    assert company.member.post(path, body).json()["id"] == calculation_id
    row = company.member.get(f"/calculations/{calculation_id}").json()
    assert (row["skip"], row["deleted"], row["multiplier"]) == (False, True, 0.5)


def test_calculations_of_a_finalised_payslip_cannot_change(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft_id(company, employee_id)
    calculation_id = create_calculation(company, f"payslips/{payslip_id}", "bonus", amount=5)
    day = finalise(company, payslip_id)
    before = company.member.service.fingerprint()
    for answer in (
        post_calculation(company, f"payslips/{payslip_id}", "bonus", amount=6),
        company.member.patch(f"/calculations/{calculation_id}", {"calculation_details": {"amount": 6}}),
        company.member.delete(f"/calculations/{calculation_id}"),
    ):
        message = assert_problem(answer, 409)["message"]
        assert message.startswith(
            f"Payslip {payslip_id} of {day} is finalised and cannot change; unfinalise its pay run"
        )
    assert company.member.service.fingerprint() == before
    assert find_calculation(company, f"payslips/{payslip_id}", "bonus")["inputs"] == {"amount": "5.00"}


def test_an_effective_date_of_an_ordinary_calculation_causes_a_warning(company: Company, employee: str) -> None:
    body = {"calc_type": "bonus", "calculation_details": {"amount": 5}, "effective_date": "2026-01-01", "inptus": {}}
    answer = company.member.post(f"/{employee}/calculations", {"calculation": body})
    assert answer.json()["warnings"] == {
        "effective_date": "Ignored: only inherited calculations have an effective date.",
        "inptus": "Unknown attribute, ignored.",
    }


def test_concurrent_requests_are_merged(company: Company, employee: str) -> None:
    inputs: tuple[dict[str, Any], ...] = ({"amount": 5}, {"prorate": True})
    for owner in (employee, f"clients/{company.id}"):
        answers = at_once([partial(post_calculation, company, owner, "meal_allowance", **each) for each in inputs])
        assert [answer.status_code for answer in answers] == [200, 200]
        assert find_calculation(company, owner, "meal_allowance")["inputs"] == {"amount": "5.00", "prorate": "true"}


def test_a_large_body_of_unknown_inputs_gets_a_short_response(company: Company, employee: str) -> None:
    errors = post_errors(company, employee, "bonus", **{f"x{number}": 1 for number in range(20000)})
    assert len(errors) == 50


def test_unknown_records_are_not_found(company: Company) -> None:
    for resource in ("clients", "employees", "payslips"):
        assert_problem(post_calculation(company, f"{resource}/999999999", "bonus", amount=5), 404)
