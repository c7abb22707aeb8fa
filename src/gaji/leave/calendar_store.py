"""The SQL of leave as a whole company sees it."""

from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction


async def days(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Employee, date, type, thousandths of days, in the order of dates."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.employee_id, d.date, t.name AS type, d.millidays FROM leave_days d "
        "JOIN leave_types t ON t.client_id = d.client_id AND t.id = d.leave_type_id "
        "WHERE d.client_id = $1 AND d.date BETWEEN $2 AND $3 ORDER BY d.date, d.employee_id, d.id",
        client_id,
        first,
        last,
    )
    return rows


async def pending(tx: Transaction, client_id: int, most: int) -> list[asyncpg.Record]:
    """Id, employee, dates as JSON, reason and time of the requests that nobody has decided about, oldest first."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, employee_id, dates, reason, created_at FROM leave_requests "
        "WHERE client_id = $1 AND status = 'pending' ORDER BY id LIMIT $2",
        client_id,
        most,
    )
    return rows


async def count_pending(tx: Transaction, client_id: int) -> int:
    """How many requests nobody has decided about."""
    found: int = await tx.fetchval(
        "SELECT count(*) FROM leave_requests WHERE client_id = $1 AND status = 'pending'", client_id
    )
    return found
