"""The SQL of the periods that payslips are for."""

from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.store.state import SHOWN


async def periods(tx: Transaction, client_id: int, employee_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Id, first day, last day, and whether finalised, of the regular payslips that touch a stretch of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT id, start_date, date, finalised FROM payslips WHERE client_id = $1 AND employee_id = $2 "
        f"AND NOT special AND {SHOWN} AND date >= $3 AND start_date <= $4 ORDER BY date",
        client_id,
        employee_id,
        first,
        last,
    )
    return rows


async def last_finalised_end(tx: Transaction, client_id: int) -> date | None:
    """The last day of the latest finalised period of a client."""
    found: date | None = await tx.fetchval(
        "SELECT max(date) FROM payslips WHERE client_id = $1 AND finalised AND NOT special", client_id
    )
    return found
