"""The entries of payslips: what all levels say, merged for many at once."""

import random
from datetime import date
from typing import Any

import pytest

from gaji.db.tenancy import Tenant, open_pool
from gaji.engine.payslip_input import CalculationEntry
from gaji.identity.service import find_user
from gaji.payroll.calculations.resolve import PayslipKey, catalogue, resolve_entries
from tests.payroll.calculations.entered import draft, entered, item, listed, mapped, profile, special
from tests.support.company import Company

DAY = date(2026, 1, 31)


def asked(company: Company, *payslips: PayslipKey, on: date = DAY) -> tuple[list[dict[str, CalculationEntry]], int]:
    """The entries of payslips, and how many statements it took to read them."""
    service = company.member.service

    async def run() -> tuple[list[dict[str, CalculationEntry]], int]:
        pool = await open_pool(service.database.as_application("test"), size=1)
        statements = 0
        try:
            tenant = Tenant(pool, service.vault, await find_user(service.database, company.member.email))
            async with tenant.reading() as tx:
                fetch, fetchrow = tx.fetch, tx.fetchrow

                def counted(run: Any) -> Any:
                    def one(*arguments: Any) -> Any:
                        nonlocal statements
                        statements += 1
                        return run(*arguments)

                    return one

                tx.fetch, tx.fetchrow = counted(fetch), counted(fetchrow)
                return await resolve_entries(tx, company.id, payslips, on), statements
        finally:
            await pool.close()

    return service.runner.run(run())


def entry(company: Company, payslip: PayslipKey, name: str | int, on: date = DAY) -> CalculationEntry | None:
    """The entry of one payslip for one calculation."""
    [found], _ = asked(company, payslip, on=on)
    return found.get(str(name))


def say(company: Company, where: str, calc_type: str | int, /, **given: Any) -> None:
    """Say something about a calculation beside its inputs."""
    answer = company.member.post(f"/{where}/calculations", {"calc_type": calc_type, **given})
    assert answer.status_code == 200, answer.text


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    entered(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4200)
    assert asked(company, (None, employee_id, False))[0] == [{"basic_salary": CalculationEntry({"fixed_amount": "4200.00"})}]


def test_what_is_entered_for_one_payslip_does_not_recur(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    entered(company, f"payslips/{payslip_id}", "bonus", amount=500)
    entered(company, f"employees/{employee_id}", "meal_allowance", amount=80)
    entered(company, f"payslips/{payslip_id}", "meal_allowance", prorate=True)
    assert asked(company, (payslip_id, employee_id, False), (None, employee_id, False))[0] == [
        {
            "meal_allowance": CalculationEntry({"amount": "80.00", "prorate": True}),
            "bonus": CalculationEntry({"amount": "500.00"}, recurring=False),
        },
        {"meal_allowance": CalculationEntry({"amount": "80.00"})},
    ]


def test_what_a_payslip_deletes_is_gone_and_what_it_skips_still_says_the_rate(company: Company) -> None:
    employee_id = company.hire()
    payslip = (draft(company, employee_id), employee_id, False)
    entered(company, f"employees/{employee_id}", "meal_allowance", amount=80)
    say(company, f"payslips/{payslip[0]}", "meal_allowance", skip=True, multiplier=2)
    assert entry(company, payslip, "meal_allowance") == CalculationEntry({"amount": "80.00"}, skip=True, multiplier="2")
    say(company, f"payslips/{payslip[0]}", "meal_allowance", deleted=True)
    assert entry(company, payslip, "meal_allowance") is None


def test_of_alternatives_the_closest_level_decides(company: Company) -> None:
    employee_id = company.hire()
    payslip = (draft(company, employee_id), employee_id, False)
    entered(company, f"clients/{company.id}", "annual_bonus", amount=500)
    entered(company, f"employees/{employee_id}", "annual_bonus", months=2)
    assert entry(company, payslip, "annual_bonus") == CalculationEntry({"months": "2"})
    entered(company, f"payslips/{payslip[0]}", "annual_bonus", amount=600)
    assert entry(company, payslip, "annual_bonus") == CalculationEntry({"amount": "600.00"})


def test_a_once_off_payslip_has_only_what_was_entered_for_it(company: Company) -> None:
    employee_id = company.hire()
    given: dict[str, dict[str, Any]] = {
        "basic_salary": {"fixed_amount": 4200},
        "meal_allowance": {"amount": 80},
        "cdac": {"opt_out": True},
        "week_hours": {"schedule": "casual"},
    }
    for name, details in given.items():
        entered(company, f"employees/{employee_id}", name, **details)
    payslip_id = special(company, employee_id)
    entered(company, f"payslips/{payslip_id}", "meal_allowance", amount=50)
    assert asked(company, (payslip_id, employee_id, True))[0] == [
        {
            "basic_salary": CalculationEntry({"fixed_amount": "4200.00"}, skip=True),
            "meal_allowance": CalculationEntry({"amount": "50.00"}),
            # What the law takes does not depend on which payslip it is, nor do regular hours.
            "cdac": CalculationEntry({"opt_out": True}),
            "week_hours": CalculationEntry({"schedule": "casual"}),
        }
    ]


def test_regular_hours_are_those_of_the_day(company: Company) -> None:
    employee_id = company.hire()
    where = f"/employees/{employee_id}/calculations"
    entered(company, f"clients/{company.id}", "week_hours", schedule="fixed", works_mon=True)
    for day, details in {"2026-01-15": {"works_tue": True}, "2026-02-01": {"schedule": "casual"}}.items():
        body = {"calc_type": "week_hours", "effective_date": day, "calculation_details": details}
        assert company.member.post(where, body).status_code == 200
    payslip = (None, employee_id, False)
    found = [entry(company, payslip, "week_hours", date(2026, *day)) for day in ((1, 14), (1, 15), (2, 1))]
    assert [one.inputs if one else None for one in found] == [
        {"schedule": "fixed", "works_mon": True},
        {"schedule": "fixed", "works_mon": True, "works_tue": True},
        {"schedule": "casual"},
    ]


def test_many_take_as_many_statements_as_one(company: Company) -> None:
    drivers = profile(company, meal_allowance={"amount": 10})
    people = [company.hire() for _ in range(5)]
    for number, employee_id in enumerate(people):
        entered(company, f"employees/{employee_id}", "basic_salary", fixed_amount=1000 + number)
        mapped(company, employee_id, drivers)
    slips = [(draft(company, employee_id), employee_id, False) for employee_id in people]
    found, statements = asked(company, *slips)
    assert [one["basic_salary"].inputs["fixed_amount"] for one in found] == [f"{1000 + n}.00" for n in range(5)]
    assert asked(company, slips[0]) == ([found[0]], statements)
    assert statements <= 5


@pytest.mark.parametrize("seed", range(3))
def test_entries_say_what_the_list_of_the_payslip_says(company: Company, seed: int) -> None:
    chance = random.Random(seed)
    employee_id = company.hire()
    payslip_id, once_off = draft(company, employee_id), special(company, employee_id)
    types: list[str | int] = ["meal_allowance", "other_allowance", "annual_bonus"]
    types.append(item(company, name="Shift", kind="allowance", input="per_employee"))
    for name in ("First", "Second"):
        some = {str(one): {"amount": chance.randrange(100)} for one in chance.sample(types, 3)}
        mapped(
            company, employee_id, profile(company, name, **some), **dict.fromkeys(chance.sample(list(some), 1), False)
        )
    for where in (
        f"clients/{company.id}",
        f"employees/{employee_id}",
        f"payslips/{payslip_id}",
        f"payslips/{once_off}",
    ):
        for one in chance.sample(types, 3):
            details = (
                {"months": 2} if one == "annual_bonus" and chance.random() < 0.5 else {"amount": chance.randrange(100)}
            )
            more = {"skip": chance.choice([True, False, None]), "multiplier": chance.choice([None, 1.5, "2"])}
            say(company, where, one, calculation_details=details, **more)
    slips = [(payslip_id, employee_id, False), (once_off, employee_id, True)]
    for (slip, *_), found in zip(slips, asked(company, *slips)[0], strict=True):
        shown = {
            row.get("system_type") or str(row["calculation_def_id"]): (row["inputs"], row["skip"], row["multiplier"])
            for row in listed(company, f"payslips/{slip}")
        }
        assert {
            name: (one.inputs, one.skip, one.multiplier and float(one.multiplier)) for name, one in found.items()
        } == shown


def test_the_catalogue_has_the_custom_items_of_the_client(company: Company) -> None:
    night = item(company, name="Night", kind="allowance", input="fixed", amount=5)
    service = company.member.service

    async def run() -> Any:
        pool = await open_pool(service.database.as_application("test"), size=1)
        try:
            tenant = Tenant(pool, service.vault, await find_user(service.database, company.member.email))
            async with tenant.reading() as tx:
                return await catalogue(tx, company.id)
        finally:
            await pool.close()

    found = service.runner.run(run())
    assert [one.caption for one in found.custom] == ["Night"]
    assert found.types[str(night)].definition.amount_cents == 500
