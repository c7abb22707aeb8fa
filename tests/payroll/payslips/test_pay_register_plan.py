"""The statements of the register of a pay run: their plans, and that pages and totals agree with all rows."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction, TransactionScope, open_pool
from gaji.identity.service import find_user
from gaji.payroll.payslips.pay_register import (
    AMOUNTS,
    ROW_FILTERS,
    SORT_KEYS,
    RegisterRow,
    RegisterSelection,
    iterate_register,
    load_register,
)
from tests.payroll.payment_runs.runs import FEBRUARY, hired, opened, paid
from tests.support.company import Company
from tests.support.running import Service, created

Result = TypeVar("Result")
GONE = {"employee_action": {"termination_date": "2026-01-31", "termination_code": 1}}
NEXT_TO_EACH_OTHER = ListPage(2, 3)
BY_ID = {"payslips": "payslips_id", "employees": "employees_id"}
"""The index that finds each row of a page."""


def in_snapshot(company: Company, load: Callable[[Transaction], Awaitable[Result]]) -> Result:
    """Return what a function reads in a snapshot of the company's member."""
    return in_transaction(company, load, Tenant.snapshot)


def in_transaction(
    company: Company,
    load: Callable[[Transaction], Awaitable[Result]],
    begin: Callable[[Tenant], TransactionScope] = Tenant.transaction,
) -> Result:
    """Return what a function reads in a transaction of the company's member."""
    service = company.member.service

    async def run() -> Result:
        pool = await open_pool(service.database.as_application("test"))
        try:
            tenant = Tenant(pool, service.vault, await find_user(service.database, company.member.email))
            async with begin(tenant) as tx:
                return await load(tx)
        finally:
            await pool.close()

    return service.runner.run(run())


def selection_of(company: Company, run_id: int, **given: Any) -> RegisterSelection:
    values = {"previous_offset": None, "previous_nett_pay": 0, "finalised": False, "has_pay_points": True, **given}
    return RegisterSelection(client_id=company.id, run_id=run_id, wave_id=company.wave_id, **values)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a plan."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def repeated(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a plan that nested loops run once for each row."""
    for loop in nodes(plan):
        for child in loop.get("Plans", ()) if loop["Node Type"] == "Nested Loop" else ():
            if child["Parent Relationship"] == "Inner":
                yield from nodes(child)


def test_statements_about_all_rows_have_no_nested_loops_and_those_of_a_page_look_up_ids(service: Service) -> None:
    company = Company.of(service.new_account())
    hired(company)
    january = paid(company)
    runs = {january: True, opened(company, FEBRUARY): False}

    async def explain(tx: Transaction) -> list[tuple[str, dict[str, Any]]]:
        fetch, plans = tx.fetch, []

        async def record(query: str, *arguments: Any) -> Any:
            setting = await tx.fetchval("SHOW enable_nestloop")
            await tx.execute(f"PREPARE statement AS {query}")
            values = ", ".join("NULL" for _ in arguments)
            [(plan,)] = await fetch(f"EXPLAIN (FORMAT JSON) EXECUTE statement ({values})")
            await tx.execute("DEALLOCATE statement")
            plans.append((setting, json.loads(plan)[0]["Plan"]))
            return await fetch(query, *arguments)

        tx.fetch = record
        # The plan for any values, which PostgreSQL uses after a few requests.
        await tx.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await tx.execute("SET LOCAL enable_seqscan = off")  # It is the best way through the few rows of the test.
        for (run_id, finalised), is_compared, row_filter in product(runs.items(), (True, False), ROW_FILTERS):
            previous_offset = 0 if is_compared else None
            given = {"finalised": finalised, "previous_offset": previous_offset, "row_filter": row_filter}
            await load_register(tx, selection_of(company, run_id, **given), ListPage(1, 50))
        assert await tx.fetchval("SHOW enable_nestloop") == "on"
        return plans

    plans = in_snapshot(company, explain)
    assert {setting for setting, _ in plans} == {"on", "off"}
    for setting, plan in plans:
        if setting == "off":
            assert not [node for node in nodes(plan) if node["Node Type"] == "Nested Loop"]
        else:
            scans = {
                node["Relation Name"]: node.get("Index Name") for node in repeated(plan) if "Relation Name" in node
            }
            assert {name: index for name, index in scans.items() if name != "pay_points"} == BY_ID


def test_payslips_that_are_withdrawn_while_a_page_is_read_are_left_out(service: Service) -> None:
    company = Company.of(service.new_account())
    leaver, stayer = hired(company), hired(company)
    run_id = opened(company)

    async def load(tx: Transaction) -> list[int]:
        fetch = tx.fetch

        async def withdraw_first(query: str, *arguments: Any) -> Any:
            if await tx.fetchval("SHOW enable_nestloop") == "on":  # the statement about the rows of the page
                await tx.execute("UPDATE payslips SET withdrawn = true WHERE employee_id = $1", leaver)
            return await fetch(query, *arguments)

        tx.fetch = withdraw_first
        register = await load_register(tx, selection_of(company, run_id), ListPage(1, 50))
        return [row.employee_id for row in register.rows]

    assert in_transaction(company, load) == [stayer]


def test_pages_and_totals_agree_with_all_rows_in_every_order(service: Service) -> None:
    company = Company.of(service.new_account())
    bar, hall = (
        created(company.member.post(f"/clients/{company.id}/pay_points", {"name": name})) for name in ("Bar", "Hall")
    )
    given: list[dict[str, Any]] = [
        {"first_name": "Ali", "pay_point_id": bar},
        {"first_name": "ali", "pay_point_id": hall, "name_format": 2},
        {"first_name": "Bala", "race": "INDIAN"},
        {"first_name": "Zul", "last_name": "Aziz", "pay_point_id": bar, "name_format": 2},
        {"first_name": "Chen", "pay_point_id": hall},
        {"first_name": "Devi"},
        {"first_name": "Gone", "pay_point_id": hall},
    ]
    salaries = ("4200.00", "4200.00", "5200.00", "3000.00", "4200.00", "2600.00", "3100.00")
    employee_ids = [hired(company, salary, **values) for salary, values in zip(salaries, given, strict=True)]
    january = paid(company)
    gone = employee_ids.pop()
    assert company.member.post(f"/employees/{gone}/service_periods/end_service", GONE).status_code == 200
    hired(company, "4200.00", first_name="New", appointment_date="2026-02-01", pay_point_id=bar)
    company.patch(employee_ids[0], pay_point_id=hall)
    february = opened(company, FEBRUARY)
    states = {"dirty": "dirty = true", "attention": "attention = '{x}'", "blank": "nett_pay = 0", "": "gross = 1"}
    for employee_id, state in zip(employee_ids, states.values(), strict=False):
        company.member.service.as_owner(
            f"UPDATE payslips SET {state} WHERE employee_id = $1 AND NOT finalised", employee_id
        )
    [january_row] = company.member.service.as_owner("SELECT period_offset FROM payment_runs WHERE id = $1", january)
    offset = january_row["period_offset"]

    async def compare(tx: Transaction) -> int:
        compared = 0
        runs = (selection_of(company, january, finalised=True), selection_of(company, february, previous_offset=offset))
        filters = product(ROW_FILTERS, ((), ("%tan%",)), (None, "Bar", ""), (True, False))
        for run, (row_filter, patterns, pay_point, has_pay_points) in product(runs, filters):
            if pay_point is not None and not has_pay_points:
                continue
            chosen = replace(
                run, row_filter=row_filter, patterns=patterns, pay_point=pay_point, has_pay_points=has_pay_points
            )
            everyone = await all_rows(tx, replace(chosen, sort="change"))
            for sort, descending in product(("", *SORT_KEYS), (False, True)):
                selection = replace(chosen, sort=sort, descending=descending)
                listed = await all_rows(tx, selection)
                page = NEXT_TO_EACH_OTHER
                register = await load_register(tx, selection, page)
                assert register.rows == listed[page.offset : page.offset + page.size], selection
                payslips = [row for row in everyone if row.payslip_id]
                assert register.total.payslips == len(payslips), selection
                assert register.total.dirty == sum(row.dirty for row in payslips)
                assert register.total.attention == sum(bool(row.attention) and not row.dirty for row in payslips)
                assert register.total.blank == sum(row.is_blank for row in payslips)
                names = [name for name in AMOUNTS if name != "change" or not selection.compares_page_only]
                for name in names:
                    amount = sum(row.cents[name] for row in everyone if not row.dirty)
                    assert register.total.cents[name] == amount, (name, selection)
                    parts = (total.cents[name] for total in register.pay_points)
                    assert sum(parts) == amount
                compared += 1
        return compared

    assert in_snapshot(company, compare) > 500


async def all_rows(tx: Transaction, selection: RegisterSelection) -> list[RegisterRow]:
    """Return all rows of the register."""
    return [row async for rows in iterate_register(tx, selection) for row in rows]
