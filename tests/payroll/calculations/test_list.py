"""GET calculations: the own ones, and the inherited ones with a null ID."""

from typing import Any

from tests.payroll.calculations.requests import (
    FIELDS,
    assign_profile,
    create_calculation,
    create_item,
    create_profile,
    draft_id,
    find_calculation,
    insert_special_payslip,
    list_calculations,
)
from tests.support.company import Company
from tests.support.problems import assert_problem


def test_there_are_no_calculations_at_first(company: Company) -> None:
    assert list_calculations(company, f"clients/{company.id}") == []
    assert list_calculations(company, f"employees/{company.hire()}") == []


def test_own_calculations_come_first_then_inherited_ones(company: Company) -> None:
    employee_id = company.hire()
    client_calculation_id = create_calculation(company, f"clients/{company.id}", "meal_allowance", amount=80)
    own_id = create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4200)
    rows = list_calculations(company, f"employees/{employee_id}")
    assert [(row["id"], row["system_type"], row["calculation_id"]) for row in rows] == [
        (own_id, "basic_salary", None),
        (None, "meal_allowance", client_calculation_id),
    ]
    assert list(rows[1]) == [*FIELDS, "system_type"]
    assert (rows[1]["employee_id"], rows[1]["payslip_id"], rows[1]["client_id"]) == (None, None, company.id)
    assert (rows[1]["inputs"], rows[1]["overrides"]) == ({"amount": "80.00"}, {})


def test_the_most_specific_level_wins_for_each_input(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft_id(company, employee_id)
    drivers = create_profile(company, transport_allowance={"amount": 120})
    create_calculation(company, f"clients/{company.id}", "transport_allowance", amount=100, prorate=True)
    assert find_calculation(company, f"payslips/{payslip_id}", "transport_allowance")["inputs"]["amount"] == "100.00"
    assign_profile(company, employee_id, drivers)
    row = find_calculation(company, f"payslips/{payslip_id}", "transport_allowance")
    assert (row["inputs"], row["profile_id"]) == ({"amount": "120.00", "prorate": "true"}, drivers)
    own_id = create_calculation(company, f"employees/{employee_id}", "transport_allowance", amount=150)
    row = find_calculation(company, f"employees/{employee_id}", "transport_allowance")
    assert (row["id"], row["profile_id"], row["overrides"]) == (own_id, drivers, {"amount": "150.00"})
    assert row["inputs"] == {"amount": "150.00", "prorate": "true"}
    payslip_calculation_id = create_calculation(company, f"payslips/{payslip_id}", "transport_allowance", prorate=False)
    row = find_calculation(company, f"payslips/{payslip_id}", "transport_allowance")
    assert (row["id"], row["calculation_id"], row["overrides"]) == (
        payslip_calculation_id,
        own_id,
        {"prorate": "false"},
    )
    assert row["inputs"] == {"amount": "150.00", "prorate": "false"}
    company.member.delete(f"/calculations/{own_id}")
    assert find_calculation(company, f"payslips/{payslip_id}", "transport_allowance")["inputs"]["amount"] == "120.00"


def test_the_most_specific_level_decides_between_alternatives(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"clients/{company.id}", "annual_bonus", amount=500, declaration_date="2026-01-01")
    create_calculation(company, f"employees/{employee_id}", "annual_bonus", months=2)
    row = find_calculation(company, f"employees/{employee_id}", "annual_bonus")
    assert row["inputs"] == {"months": "2", "declaration_date": "2026-01-01"}


def test_the_later_profile_wins_and_switched_off_calculations_do_not_apply(company: Company) -> None:
    employee_id = company.hire()
    first = create_profile(company, "First", meal_allowance={"amount": 10, "prorate": True}, bonus={"amount": 7})
    second = create_profile(company, "Second", meal_allowance={"amount": 20}, union_fee={"amount": 3})
    assign_profile(company, employee_id, second, union_fee=False)
    assign_profile(company, employee_id, first)
    rows = {row["system_type"]: row for row in list_calculations(company, f"employees/{employee_id}")}
    assert rows.keys() == {"meal_allowance", "bonus"}
    assert rows["meal_allowance"]["inputs"] == {"amount": "10.00", "prorate": "true"}
    assert {row["profile_id"] for row in rows.values()} == {first}


def test_skip_and_multiplier_come_from_the_most_specific_level_that_has_them(company: Company) -> None:
    employee_id = company.hire()
    body = {"calc_type": "meal_allowance", "calculation_details": {"amount": 80}, "skip": True, "multiplier": "1.5"}
    company.member.post(f"/clients/{company.id}/calculations", body)
    row = find_calculation(company, f"employees/{employee_id}", "meal_allowance")
    assert (row["skip"], row["skip_rule"], row["multiplier"]) == (True, False, 1.5)
    body = {"calc_type": "meal_allowance", "skip": False}
    company.member.post(f"/employees/{employee_id}/calculations", body)
    row = find_calculation(company, f"employees/{employee_id}", "meal_allowance")
    assert (row["skip"], row["multiplier"], row["inputs"]) == (False, 1.5, {"amount": "80.00"})


def test_a_special_payslip_skips_inherited_calculations_by_rule(company: Company) -> None:
    employee_id = company.hire()
    inputs_by_type: dict[str, dict[str, Any]] = {"basic_salary": {"fixed_amount": 4200}, "cdac": {"opt_out": True}}
    for name, details in inputs_by_type.items():
        create_calculation(company, f"employees/{employee_id}", name, **details)
    payslip = f"payslips/{insert_special_payslip(company, employee_id)}"
    create_calculation(company, payslip, "bonus", amount=1000)
    skips = {row["system_type"]: (row["skip"], row["skip_rule"]) for row in list_calculations(company, payslip)}
    assert skips == {"bonus": (False, False), "basic_salary": (True, True), "cdac": (False, False)}


def test_outputs_are_those_of_the_payslip_and_of_the_draft(company: Company) -> None:
    employee_id = company.hire()
    night = create_item(company, name="Night", kind="allowance", input="per_employee")
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
    create_calculation(company, f"employees/{employee_id}", night, amount=50)
    payslip_id = draft_id(company, employee_id)
    create_calculation(company, f"payslips/{payslip_id}", "basic_salary", overtime_hours_input=10)
    for owner in (f"employees/{employee_id}", f"payslips/{payslip_id}"):
        # The draft is of a whole month; ten hours are 10 × 1.5 × 12 × 4,200 ÷ (52 × 44).
        outputs = find_calculation(company, owner, "basic_salary")["outputs"]
        assert outputs == {"basic_salary": "4200.00", "overtime": "330.42"}
        assert find_calculation(company, owner, night)["outputs"] == {str(night): "50.00"}
    create_calculation(company, f"clients/{company.id}", "meal_allowance", amount=5)
    assert find_calculation(company, f"clients/{company.id}", "meal_allowance")["outputs"] == {}
    assert find_calculation(company, f"employees/{employee_id}", "meal_allowance")["outputs"] == {
        "meal_allowance": "5.00"
    }


def test_the_ledger_accounts_of_an_item_and_its_amounts_by_account(company: Company) -> None:
    employee_id = company.hire()
    owner = f"employees/{employee_id}"
    accounts = [{"item": "overtime", "debit_account": "Overtime pay"}]
    assert company.member.call("PUT", f"/clients/{company.id}/accounts", json=accounts).status_code == 200
    create_calculation(company, owner, "basic_salary", fixed_amount="4200.00")
    create_calculation(company, f"payslips/{draft_id(company, employee_id)}", "basic_salary", overtime_hours_input=10)
    row = find_calculation(company, owner, "basic_salary")
    components = row["account_components"]
    assert list(components) == [
        "basic_salary",
        "overtime",
        "overtime_previous",
        "rest_day_pay",
        "public_holiday_pay",
        "public_holiday_off_pay",
    ]
    assert components["overtime"] == {
        "category": "Earnings",
        "debit_account": "Overtime pay",
        "credit_account": "Salaries payable",
    }
    assert row["account_outputs"] == {"Salaries and wages": "4200.00", "Overtime pay": "330.42"}
    assert company.member.get(f"/calculations/{row['id']}").json() == row


def test_a_formula_is_shown_by_input(company: Company) -> None:
    owner = f"employees/{company.hire()}"
    night = create_item(company, name="Night", kind="allowance", input="formula", formula="quantity * 2")
    create_calculation(company, owner, night, quantity=3)
    assert find_calculation(company, owner, night)["input_formulas"] == {"amount": "quantity * 2"}


def test_lists_can_be_paged(company: Company) -> None:
    owner = f"clients/{company.id}"
    ids = [create_calculation(company, owner, name, amount=5) for name in ("bonus", "meal_allowance", "union_fee")]
    answer = company.member.get(f"/{owner}/calculations?page=2&per_page=2")
    assert [row["id"] for row in answer.json()] == ids[2:]
    assert answer.headers["X-Total-Count"] == "3"


def test_unknown_records_are_not_found(company: Company) -> None:
    paths: list[Any] = ["clients/9999999/calculations", "employees/9999999/calculations"]
    for path in (*paths, "payslips/9999999/calculations", "calculations/9999999", "inherited_calculations/9999999"):
        assert_problem(company.member.get(f"/{path}"), 404)
