"""GET calculations: the level's own, and with id null those that it inherits."""

from typing import Any

from tests.payroll.calculations.entered import FIELDS, draft, entered, item, listed, mapped, one, profile, special
from tests.support.company import Company
from tests.support.problems import refused


def test_it_works(company: Company) -> None:
    assert listed(company, f"clients/{company.id}") == []
    assert listed(company, f"employees/{company.hire()}") == []


def test_own_calculations_come_first_then_inherited_ones_with_id_null(company: Company) -> None:
    employee_id = company.hire()
    company_id = entered(company, f"clients/{company.id}", "meal_allowance", amount=80)
    own = entered(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4200)
    rows = listed(company, f"employees/{employee_id}")
    assert [(row["id"], row["system_type"], row["calculation_id"]) for row in rows] == [
        (own, "basic_salary", None),
        (None, "meal_allowance", company_id),
    ]
    assert list(rows[1]) == [*FIELDS, "system_type"]
    assert (rows[1]["employee_id"], rows[1]["payslip_id"], rows[1]["client_id"]) == (None, None, company.id)
    assert (rows[1]["inputs"], rows[1]["overrides"]) == ({"amount": "80.00"}, {})


def test_the_closest_level_wins_input_by_input(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    drivers = profile(company, transport_allowance={"amount": 120})
    entered(company, f"clients/{company.id}", "transport_allowance", amount=100, prorate=True)
    assert one(company, f"payslips/{payslip_id}", "transport_allowance")["inputs"]["amount"] == "100.00"
    mapped(company, employee_id, drivers)
    row = one(company, f"payslips/{payslip_id}", "transport_allowance")
    assert (row["inputs"], row["profile_id"]) == ({"amount": "120.00", "prorate": True}, drivers)
    own = entered(company, f"employees/{employee_id}", "transport_allowance", amount=150)
    row = one(company, f"employees/{employee_id}", "transport_allowance")
    assert (row["id"], row["profile_id"], row["overrides"]) == (own, drivers, {"amount": "150.00"})
    assert row["inputs"] == {"amount": "150.00", "prorate": True}
    on_payslip = entered(company, f"payslips/{payslip_id}", "transport_allowance", prorate=False)
    row = one(company, f"payslips/{payslip_id}", "transport_allowance")
    assert (row["id"], row["calculation_id"], row["overrides"]) == (on_payslip, own, {"prorate": False})
    assert row["inputs"] == {"amount": "150.00", "prorate": False}
    company.member.delete(f"/calculations/{own}")
    assert one(company, f"payslips/{payslip_id}", "transport_allowance")["inputs"]["amount"] == "120.00"


def test_of_alternatives_the_closest_level_decides(company: Company) -> None:
    employee_id = company.hire()
    entered(company, f"clients/{company.id}", "annual_bonus", amount=500, declaration_date="2026-01-01")
    entered(company, f"employees/{employee_id}", "annual_bonus", months=2)
    row = one(company, f"employees/{employee_id}", "annual_bonus")
    assert row["inputs"] == {"months": "2", "declaration_date": "2026-01-01"}


def test_of_profiles_the_later_mapping_wins_and_what_is_switched_off_does_not_apply(company: Company) -> None:
    employee_id = company.hire()
    first = profile(company, "First", meal_allowance={"amount": 10, "prorate": True}, bonus={"amount": 7})
    second = profile(company, "Second", meal_allowance={"amount": 20}, union_fee={"amount": 3})
    mapped(company, employee_id, second, union_fee=False)
    mapped(company, employee_id, first)
    rows = {row["system_type"]: row for row in listed(company, f"employees/{employee_id}")}
    assert rows.keys() == {"meal_allowance", "bonus"}
    assert rows["meal_allowance"]["inputs"] == {"amount": "10.00", "prorate": True}
    assert {row["profile_id"] for row in rows.values()} == {first}


def test_skip_and_multiplier_come_from_the_closest_level_that_says_so(company: Company) -> None:
    employee_id = company.hire()
    where = {"calc_type": "meal_allowance", "calculation_details": {"amount": 80}, "skip": True, "multiplier": "1.5"}
    company.member.post(f"/clients/{company.id}/calculations", where)
    row = one(company, f"employees/{employee_id}", "meal_allowance")
    assert (row["skip"], row["skip_rule"], row["multiplier"]) == (True, False, 1.5)
    own = {"calc_type": "meal_allowance", "skip": False}
    company.member.post(f"/employees/{employee_id}/calculations", own)
    row = one(company, f"employees/{employee_id}", "meal_allowance")
    assert (row["skip"], row["multiplier"], row["inputs"]) == (False, 1.5, {"amount": "80.00"})


def test_a_once_off_payslip_leaves_out_by_rule_what_was_not_entered_for_it(company: Company) -> None:
    employee_id = company.hire()
    given: dict[str, dict[str, Any]] = {"basic_salary": {"fixed_amount": 4200}, "cdac": {"opt_out": True}}
    for name, details in given.items():
        entered(company, f"employees/{employee_id}", name, **details)
    where = f"payslips/{special(company, employee_id)}"
    entered(company, where, "bonus", amount=1000)
    shown = {row["system_type"]: (row["skip"], row["skip_rule"]) for row in listed(company, where)}
    assert shown == {"bonus": (False, False), "basic_salary": (True, True), "cdac": (False, False)}


def test_outputs_are_those_of_the_payslip_and_of_the_draft(company: Company) -> None:
    employee_id = company.hire()
    night = item(company, name="Night", kind="allowance", input="per_employee")
    entered(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
    entered(company, f"employees/{employee_id}", night, amount=50)
    payslip_id = draft(company, employee_id)
    entered(company, f"payslips/{payslip_id}", "basic_salary", overtime_hours_input=10)
    for where in (f"employees/{employee_id}", f"payslips/{payslip_id}"):
        # The draft is of a whole month; ten hours are 10 × 1.5 × 12 × 4,200 ÷ (52 × 44).
        outputs = one(company, where, "basic_salary")["outputs"]
        assert outputs == {"basic_salary": "4200.00", "overtime": "330.42"}
        assert one(company, where, night)["outputs"] == {str(night): "50.00"}
    entered(company, f"clients/{company.id}", "meal_allowance", amount=5)
    assert one(company, f"clients/{company.id}", "meal_allowance")["outputs"] == {}
    assert one(company, f"employees/{employee_id}", "meal_allowance")["outputs"] == {"meal_allowance": "5.00"}


def test_the_ledger_accounts_of_an_item_and_its_amounts_by_account(company: Company) -> None:
    employee_id = company.hire()
    where = f"employees/{employee_id}"
    accounts = [{"item": "overtime", "debit_account": "Overtime pay"}]
    assert company.member.call("PUT", f"/clients/{company.id}/accounts", json=accounts).status_code == 200
    entered(company, where, "basic_salary", fixed_amount="4200.00")
    entered(company, f"payslips/{draft(company, employee_id)}", "basic_salary", overtime_hours_input=10)
    row = one(company, where, "basic_salary")
    components = row["account_components"]
    assert list(components) == ["basic_salary", "overtime", "rest_day_pay", "public_holiday_pay"]
    assert components["overtime"] == {
        "category": "Earnings",
        "debit_account": "Overtime pay",
        "credit_account": "Salaries payable",
    }
    assert row["account_outputs"] == {"Salaries and wages": "4200.00", "Overtime pay": "330.42"}
    assert company.member.get(f"/calculations/{row['id']}").json() == row


def test_a_formula_is_shown_by_input(company: Company) -> None:
    where = f"employees/{company.hire()}"
    night = item(company, name="Night", kind="allowance", input="formula", formula="quantity * 2")
    entered(company, where, night, quantity=3)
    assert one(company, where, night)["input_formulas"] == {"amount": "quantity * 2"}


def test_lists_can_be_paged(company: Company) -> None:
    where = f"clients/{company.id}"
    ids = [entered(company, where, name, amount=5) for name in ("bonus", "meal_allowance", "union_fee")]
    answer = company.member.get(f"/{where}/calculations?page=2&per_page=2")
    assert [row["id"] for row in answer.json()] == ids[2:]
    assert answer.headers["X-Total-Count"] == "3"


def test_records_that_are_not_there_are_not_found(company: Company) -> None:
    paths: list[Any] = ["clients/9999999/calculations", "employees/9999999/calculations"]
    for path in (*paths, "payslips/9999999/calculations", "calculations/9999999", "inherited_calculations/9999999"):
        refused(company.member.get(f"/{path}"), 404)
