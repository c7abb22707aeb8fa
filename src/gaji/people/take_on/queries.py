"""Take-on balance queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import YearToDate
from gaji.law.quantities import MILLI
from gaji.people.take_on import repository
from gaji.people.take_on.schemas import take_on_json

CPF_ITEM = "cpf"
"""The IR8A item of the employee's CPF contributions."""
DEDUCTION_ITEMS = ("donation", "mosque", "insurance")
"""The IR8A items that are not income."""

_decode_items = msgspec.json.Decoder(dict[str, int]).decode
_decode_days = msgspec.json.Decoder(dict[str, str]).decode


@dataclass(frozen=True)
class TakeOnSummary:
    """The totals of an employee's take-on balances."""

    wage_cents: int
    cpf_cents: int
    has_leave: bool
    """Whether there is remaining leave."""


async def load_take_on_records(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """Load the balances of employees as the API returns them, by employee. Those without balances are left out."""
    balances = await repository.load_balances(tx, client_id, employee_ids)
    return await run_in_thread_if_many(
        len(balances), lambda: {employee_id: take_on_json(item) for employee_id, item in balances.items()}
    )


async def load_year_to_date(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, tuple[int, YearToDate]]:
    """Load the year of each employee's balances and the wages that the rest of the year's CPF depends on."""
    query = (
        "SELECT employee_id, year, ordinary_wages_subject, additional_wages, additional_wages_subject "
        "FROM take_on_balances WHERE client_id = ids.client_id AND employee_id = ids.id"
    )
    rows = await tx.fetch(f"SELECT b.* FROM {each_id('$2', query)} b", client_id, employee_ids)
    return {
        row["employee_id"]: (
            row["year"],
            YearToDate(row["ordinary_wages_subject"], row["additional_wages"], row["additional_wages_subject"]),
        )
        for row in rows
    }


async def load_opening_leave(
    tx: Transaction, client_id: int, employee_ids: Sequence[int] | None
) -> dict[int, tuple[int, Mapping[int, int]]]:
    """Load the year and the remaining millidays by leave type, of each employee with remaining leave. None: all."""
    query = "SELECT employee_id, year, leave FROM take_on_balances WHERE leave <> '{}'"
    if employee_ids is None:
        rows = await tx.fetch(f"{query} AND client_id = $1", client_id)
    else:
        query = each_id("$2", f"{query} AND client_id = ids.client_id AND employee_id = ids.id")
        rows = await tx.fetch(f"SELECT b.* FROM {query} b", client_id, employee_ids)
    return {row["employee_id"]: (row["year"], _millidays(row["leave"])) for row in rows}


async def load_ir8a_amounts(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, dict[str, int]]:
    """Load the balances of a year for form IR8A: cents by item, including CPF, by employee."""
    rows = await tx.fetch(
        "SELECT employee_id, ir8a, cpf_employee FROM take_on_balances "
        "WHERE client_id = $1 AND year = $2 AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) ORDER BY employee_id",
        client_id,
        year,
        employee_ids,
    )
    return {row["employee_id"]: _ir8a_amounts(row["ir8a"], row["cpf_employee"]) for row in rows}


async def find_without_ir8a_income(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> list[int]:
    """Return the employees whose balances of a year have wages, but no income for form IR8A. None: of all."""
    rows = await tx.fetch(
        "SELECT employee_id FROM take_on_balances WHERE client_id = $1 AND year = $2 "
        "AND ordinary_wages + additional_wages > 0 "
        "AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) AND NOT EXISTS (SELECT FROM jsonb_each_text(ir8a) item "
        "WHERE item.value <> '0' AND item.key <> ALL ($4::text[])) ORDER BY employee_id",
        client_id,
        year,
        employee_ids,
        DEDUCTION_ITEMS,
    )
    return [row["employee_id"] for row in rows]


async def load_summaries(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int]
) -> dict[int, TakeOnSummary]:
    """Load the totals of a year's balances, by employee."""
    rows = await tx.fetch(
        "SELECT employee_id, ordinary_wages + additional_wages AS wage_cents, "
        "cpf_employee + cpf_employer AS cpf_cents, leave <> '{}' AS has_leave "
        "FROM take_on_balances WHERE client_id = $1 AND year = $2 AND employee_id = ANY ($3::bigint[])",
        client_id,
        year,
        employee_ids,
    )
    return {row["employee_id"]: TakeOnSummary(row["wage_cents"], row["cpf_cents"], row["has_leave"]) for row in rows}


async def count_balances(tx: Transaction, client_id: int, year: int) -> tuple[int, int]:
    """Count the employees with balances of a year, and those of them with remaining leave."""
    row = await tx.fetchrow(
        "SELECT count(*) AS balances, count(*) FILTER (WHERE leave <> '{}') AS leave "
        "FROM take_on_balances WHERE client_id = $1 AND year = $2",
        client_id,
        year,
    )
    return row["balances"], row["leave"]


async def has_leave_of_type(tx: Transaction, client_id: int, type_id: int) -> bool:
    """Return whether any balances of the client have leave of a type."""
    exists: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM take_on_balances WHERE client_id = $1 AND leave ? $2)", client_id, str(type_id)
    )
    return exists


def _ir8a_amounts(items: str, cpf_cents: int) -> dict[str, int]:
    amounts = {**_decode_items(items), CPF_ITEM: cpf_cents}
    return {item: cents for item, cents in amounts.items() if cents}


def _millidays(leave: str) -> dict[int, int]:
    """Convert stored days, which have four decimals, to millidays."""
    return {
        int(type_id): int((Decimal(days) * MILLI).to_integral_value(ROUND_HALF_UP))
        for type_id, days in _decode_days(leave).items()
    }
