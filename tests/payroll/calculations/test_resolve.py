"""The entries of payslips: the calculations of all levels, merged for many payslips at once."""

import random
from datetime import date
from typing import Any

import pytest

from gaji.db.tenancy import Tenant, open_pool
from gaji.engine.payslip_input import CalculationEntry
from gaji.identity.service import find_user
from gaji.payroll.calculations.regular_hours.schedule import DEFAULT_WEEK
from gaji.payroll.calculations.resolve import PayslipKey, resolve_entries
from tests.payroll.calculations.requests import (
    assign_profile,
    create_calculation,
    create_item,
    create_profile,
    draft_id,
    insert_special_payslip,
    list_calculations,
)
from tests.support.company import Company

DAY = date(2026, 1, 31)


def resolve(
    company: Company, *payslips: PayslipKey, as_of: date = DAY
) -> tuple[list[dict[str, CalculationEntry]], int]:
    """Return the entries of payslips, and the number of statements that loaded them."""
    service = company.member.service

    async def run() -> tuple[list[dict[str, CalculationEntry]], int]:
        pool = await open_pool(service.database.as_application("test"), size=1)
        statements = 0
        try:
            tenant = Tenant(pool, service.vault, await find_user(service.database, company.member.email))
            async with tenant.read_only() as tx:
                fetch, fetchrow = tx.fetch, tx.fetchrow

                def counted(run: Any) -> Any:
                    def wrapper(*arguments: Any) -> Any:
                        nonlocal statements
                        statements += 1
                        return run(*arguments)

                    return wrapper

                tx.fetch, tx.fetchrow = counted(fetch), counted(fetchrow)
                return await resolve_entries(tx, company.id, payslips, as_of), statements
        finally:
            await pool.close()

    return service.runner.run(run())


def resolve_entry(
    company: Company, payslip: PayslipKey, calc_type: str | int, as_of: date = DAY
) -> CalculationEntry | None:
    """Return the entry of a payslip for one calculation."""
    [entries], _ = resolve(company, payslip, as_of=as_of)
    return entries.get(str(calc_type))


def save_calculation(company: Company, owner: str, calc_type: str | int, /, **attributes: Any) -> None:
    """Save a calculation with these attributes."""
    answer = company.member.post(f"/{owner}/calculations", {"calc_type": calc_type, **attributes})
    assert answer.status_code == 200, answer.text


def test_an_own_calculation_is_an_entry(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4200)
    assert resolve(company, (None, employee_id, False))[0] == [
        {"basic_salary": CalculationEntry({"fixed_amount": "4200.00"})}
    ]


def test_calculations_of_a_payslip_do_not_recur(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft_id(company, employee_id)
    create_calculation(company, f"payslips/{payslip_id}", "bonus", amount=500)
    create_calculation(company, f"employees/{employee_id}", "meal_allowance", amount=80)
    create_calculation(company, f"payslips/{payslip_id}", "meal_allowance", prorate=True)
    assert resolve(company, (payslip_id, employee_id, False), (None, employee_id, False))[0] == [
        {
            "meal_allowance": CalculationEntry({"amount": "80.00", "prorate": True}),
            "bonus": CalculationEntry({"amount": "500.00"}, recurring=False),
        },
        {"meal_allowance": CalculationEntry({"amount": "80.00"})},
    ]


def test_a_payslip_can_delete_skip_and_multiply_an_entry(company: Company) -> None:
    employee_id = company.hire()
    payslip = (draft_id(company, employee_id), employee_id, False)
    create_calculation(company, f"employees/{employee_id}", "meal_allowance", amount=80)
    save_calculation(company, f"payslips/{payslip[0]}", "meal_allowance", skip=True, multiplier=2)
    assert resolve_entry(company, payslip, "meal_allowance") == CalculationEntry(
        {"amount": "80.00"}, skip=True, multiplier="2"
    )
    save_calculation(company, f"payslips/{payslip[0]}", "meal_allowance", deleted=True)
    assert resolve_entry(company, payslip, "meal_allowance") is None


def test_the_most_specific_level_decides_between_alternatives(company: Company) -> None:
    employee_id = company.hire()
    payslip = (draft_id(company, employee_id), employee_id, False)
    create_calculation(company, f"clients/{company.id}", "annual_bonus", amount=500)
    create_calculation(company, f"employees/{employee_id}", "annual_bonus", months=2)
    assert resolve_entry(company, payslip, "annual_bonus") == CalculationEntry({"months": "2"})
    create_calculation(company, f"payslips/{payslip[0]}", "annual_bonus", amount=600)
    assert resolve_entry(company, payslip, "annual_bonus") == CalculationEntry({"amount": "600.00"})


def test_a_special_payslip_has_only_its_own_calculations(company: Company) -> None:
    employee_id = company.hire()
    inputs_by_type: dict[str, dict[str, Any]] = {
        "basic_salary": {"fixed_amount": 4200},
        "meal_allowance": {"amount": 80},
        "cdac": {"opt_out": True},
        "week_hours": {"schedule": "casual"},
    }
    for name, details in inputs_by_type.items():
        create_calculation(company, f"employees/{employee_id}", name, **details)
    payslip_id = insert_special_payslip(company, employee_id)
    create_calculation(company, f"payslips/{payslip_id}", "meal_allowance", amount=50)
    assert resolve(company, (payslip_id, employee_id, True))[0] == [
        {
            "basic_salary": CalculationEntry({"fixed_amount": "4200.00"}, skip=True),
            "meal_allowance": CalculationEntry({"amount": "50.00"}),
            # Statutory deductions and regular hours apply to special payslips too.
            "cdac": CalculationEntry({"opt_out": True}),
            "week_hours": CalculationEntry({"full_day_hours_input": "8", "schedule": "casual"}),
        }
    ]


def test_regular_hours_are_resolved_for_the_day(company: Company) -> None:
    employee_id = company.hire()
    path = f"/employees/{employee_id}/calculations"
    create_calculation(company, f"clients/{company.id}", "week_hours", works_mon=False)
    for day, details in {"2026-01-15": {"works_tue": False}, "2026-02-01": {"schedule": "casual"}}.items():
        body = {"calc_type": "week_hours", "effective_date": day, "calculation_details": details}
        assert company.member.post(path, body).status_code == 200
    payslip = (None, employee_id, False)
    entries = [resolve_entry(company, payslip, "week_hours", date(2026, *day)) for day in ((1, 14), (1, 15), (2, 1))]
    assert [entry.inputs if entry else None for entry in entries] == [
        {**DEFAULT_WEEK, "works_mon": False},
        {**DEFAULT_WEEK, "works_mon": False, "works_tue": False},
        {"full_day_hours_input": "8", "schedule": "casual"},
    ]


def test_many_payslips_need_as_many_statements_as_one(company: Company) -> None:
    drivers = create_profile(company, meal_allowance={"amount": 10})
    employee_ids = [company.hire() for _ in range(5)]
    for number, employee_id in enumerate(employee_ids):
        create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=1000 + number)
        assign_profile(company, employee_id, drivers)
    payslips = [(draft_id(company, employee_id), employee_id, False) for employee_id in employee_ids]
    entries, statements = resolve(company, *payslips)
    assert [each["basic_salary"].inputs["fixed_amount"] for each in entries] == [f"{1000 + n}.00" for n in range(5)]
    assert resolve(company, payslips[0]) == ([entries[0]], statements)
    assert statements <= 5


@pytest.mark.parametrize("seed", range(3))
def test_entries_agree_with_the_list_of_the_payslip(company: Company, seed: int) -> None:
    chance = random.Random(seed)
    employee_id = company.hire()
    payslip_id, special_id = draft_id(company, employee_id), insert_special_payslip(company, employee_id)
    types: list[str | int] = ["meal_allowance", "other_allowance", "annual_bonus"]
    types.append(create_item(company, name="Shift", kind="allowance", input="per_employee"))
    for name in ("First", "Second"):
        calculations = {str(calc_type): {"amount": chance.randrange(100)} for calc_type in chance.sample(types, 3)}
        switched_off = dict.fromkeys(chance.sample(list(calculations), 1), False)
        assign_profile(company, employee_id, create_profile(company, name, **calculations), **switched_off)
    for owner in (
        f"clients/{company.id}",
        f"employees/{employee_id}",
        f"payslips/{payslip_id}",
        f"payslips/{special_id}",
    ):
        for calc_type in chance.sample(types, 3):
            details = {"amount": chance.randrange(100)}
            if calc_type == "annual_bonus" and chance.random() < 0.5:
                details = {"months": 2}
            options = {"skip": chance.choice([True, False, None]), "multiplier": chance.choice([None, 1.5, "2"])}
            save_calculation(company, owner, calc_type, calculation_details=details, **options)
    payslips = [(payslip_id, employee_id, False), (special_id, employee_id, True)]
    for (listed_id, *_), entries in zip(payslips, resolve(company, *payslips)[0], strict=True):
        expected = {
            row.get("system_type") or str(row["calculation_def_id"]): (row["inputs"], row["skip"], row["multiplier"])
            for row in list_calculations(company, f"payslips/{listed_id}")
        }
        assert {
            calc_type: (entry.inputs, entry.skip, entry.multiplier and float(entry.multiplier))
            for calc_type, entry in entries.items()
        } == expected
