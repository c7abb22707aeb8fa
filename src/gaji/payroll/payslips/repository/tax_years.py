"""The SQL of what payslips mean for a year of income tax."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

import asyncpg

from gaji.db.chunks import chunks
from gaji.db.tenancy import Transaction

AT_ONCE = 1000
# The text of a case is searched, and not its structure: that takes a tenth of the time, and few payslips are found in
# vain. A case is kept in one form only, without blanks (engine/cases.py).
OF_YEAR = "(p.pay_date BETWEEN $2 AND $3 OR p.inputs::text LIKE ANY ($4::text[]))"


def of_year(
    tx: Transaction, client_id: int, year: int, dated_by: Sequence[str], employee_ids: Sequence[int] | None
) -> AsyncIterator[list[asyncpg.Record]]:
    """The finalised payslips paid in a year, and those for which one of these inputs may be a date in it."""
    query = (
        "SELECT p.employee_id, p.start_date, p.date, p.pay_date, p.lines, p.inputs, p.fund_wages, p.mbmf, "
        f"p.rules_version FROM payslips p WHERE p.client_id = $1 AND p.finalised AND {OF_YEAR} "
        "AND ($5::bigint[] IS NULL OR p.employee_id = ANY ($5)) ORDER BY p.employee_id, p.date, p.id"
    )
    return chunks(tx, AT_ONCE, query, client_id, *_days(year), _patterns(year, dated_by), employee_ids)


async def employees_of_run(
    tx: Transaction, client_id: int, payment_run_id: int, year: int, dated_by: Sequence[str]
) -> list[int]:
    """The employees whose payslip of a run is of a year in the same way."""
    rows = await tx.fetch(
        f"SELECT DISTINCT p.employee_id FROM payslips p WHERE p.client_id = $1 AND p.payment_run_id = $5 AND {OF_YEAR}",
        client_id,
        *_days(year),
        _patterns(year, dated_by),
        payment_run_id,
    )
    return [row[0] for row in rows]


def _days(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _patterns(year: int, dated_by: Sequence[str]) -> list[str]:
    return [f'%"{name}":"{year:04d}-%' for name in dated_by]
