"""SQL for the payslips of a year of income tax."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

import asyncpg

from gaji.db.chunks import fetch_chunks
from gaji.db.tenancy import Transaction

CHUNK_SIZE = 1000
COLUMNS = (
    "p.id, p.employee_id, p.start_date, p.date, p.pay_date, p.lines, p.inputs, p.fund_wages, p.mbmf, "
    "p.previous_month, p.past_months, p.rules_version"
)
# The text of the stored inputs is searched instead of its structure. This takes a tenth of the time and finds few
# payslips in vain. Inputs are always stored in the same form, without blanks (engine/payslip_input.py).
OF_YEAR = (
    "(p.pay_date BETWEEN $2 AND $3 OR (p.start_date <= $3 AND p.date >= $2) OR p.inputs::text LIKE ANY ($4::text[]))"
)
FIRST_DAY = "for_from"
"""The input with the first of several days, which may span any years."""
LAST_SERVICE_DATE = "leaving"
"""The key of the last day of service in stored inputs."""


def iterate_year(
    tx: Transaction,
    client_id: int,
    year: int,
    dated_by: Sequence[str],
    employee_ids: Sequence[int] | None,
    payslip_ids: Sequence[int],
) -> AsyncIterator[list[asyncpg.Record]]:
    """Iterate over the finalised payslips that may have income of a year, by period, pay date or a date entered.

    And over others with these IDs.
    """
    query = (
        f"SELECT {COLUMNS} FROM payslips p WHERE p.client_id = $1 AND p.finalised "
        f"AND ({OF_YEAR} OR p.id = ANY ($6::bigint[])) "
        "AND ($5::bigint[] IS NULL OR p.employee_id = ANY ($5)) ORDER BY p.employee_id, p.date, p.id"
    )
    patterns = _patterns(year, dated_by)
    return fetch_chunks(tx, CHUNK_SIZE, query, client_id, *_days(year), patterns, employee_ids, payslip_ids)


async def load_late_inputs(
    tx: Transaction, client_id: int, names: Sequence[str], employee_ids: Sequence[int] | None
) -> list[asyncpg.Record]:
    """Load what was entered for payslips after they were finalised, of the calculations with one of these inputs."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT c.payslip_id, c.type, c.inputs FROM calculations c "
        "JOIN payslips p ON p.client_id = c.client_id AND p.id = c.payslip_id "
        "WHERE c.client_id = $1 AND c.payslip_id IS NOT NULL AND c.inputs ?| $2::text[] AND NOT c.deleted "
        "AND p.finalised AND c.updated_at > p.finalised_at "
        "AND ($3::bigint[] IS NULL OR c.employee_id = ANY ($3))",
        client_id,
        names,
        employee_ids,
    )
    return rows


async def load_with_item(tx: Transaction, client_id: int, item: str) -> list[asyncpg.Record]:
    """Load the finalised payslips whose lines name an item."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {COLUMNS} FROM payslips p WHERE p.client_id = $1 AND p.finalised AND p.lines::text LIKE $2 "
        "ORDER BY p.employee_id, p.date, p.id",
        client_id,
        f'%"{item}"%',
    )
    return rows


async def load_run_employees(
    tx: Transaction, client_id: int, payment_run_id: int, year: int, dated_by: Sequence[str]
) -> list[int]:
    """Return the employees whose payslip in a run concerns a year in the same way."""
    rows = await tx.fetch(
        f"SELECT DISTINCT p.employee_id FROM payslips p WHERE p.client_id = $1 AND p.payment_run_id = $5 AND {OF_YEAR}",
        client_id,
        *_days(year),
        _patterns(year, dated_by),
        payment_run_id,
    )
    return [row["employee_id"] for row in rows]


def _days(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _patterns(year: int, dated_by: Sequence[str]) -> list[str]:
    patterns = [f'%"{name}":"{year:04d}-%' for name in (*dated_by, LAST_SERVICE_DATE) if name != FIRST_DAY]
    return [*patterns, f'%"{FIRST_DAY}":"%']
