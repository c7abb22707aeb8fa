"""Wave period repository."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.query_plans import match_ids
from gaji.db.tenancy import Transaction

ELEMENT = "row_to_json((SELECT e FROM (SELECT p.employee_id, p.wave_id, p.start_date, p.end_date) e))::text AS element"


async def load_elements(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load the wave periods of employees as JSON, each with its employee, in chronological order."""
    of_employees, ids = match_ids("p.employee_id", "$2", employee_ids)
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.employee_id, {ELEMENT} FROM wave_periods p "
        f"WHERE p.client_id = $1 AND {of_employees} ORDER BY p.employee_id, p.start_date",
        client_id,
        ids,
    )
    return rows


async def lock_latest_periods(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Lock the current period and the one before it until the transaction ends, newest first."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, wave_id, start_date, end_date FROM wave_periods WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY start_date DESC LIMIT 2 FOR UPDATE",
        client_id,
        employee_id,
    )
    return rows


async def lock_first_period(tx: Transaction, client_id: int, employee_id: int) -> asyncpg.Record:
    """Lock the first period of an employee until the transaction ends."""
    return await tx.fetchrow(
        "SELECT id, start_date, end_date FROM wave_periods WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY start_date LIMIT 1 FOR UPDATE",
        client_id,
        employee_id,
    )


async def insert(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """Insert an open period."""
    await tx.execute(
        "INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date) VALUES ($1, $2, $3, $4)",
        client_id,
        employee_id,
        wave_id,
        start,
    )


async def insert_many(tx: Transaction, client_id: int, starts: Sequence[tuple[int, int, date]]) -> None:
    """Insert an open period for each tuple of employee, wave and date."""
    rows = [(client_id, employee_id, wave_id, start) for employee_id, wave_id, start in starts]
    await tx.insert_rows("wave_periods", ("client_id", "employee_id", "wave_id", "start_date"), rows)


async def set_start(tx: Transaction, client_id: int, period_id: int, start: date) -> None:
    """Change the start of a period."""
    await tx.execute(
        "UPDATE wave_periods SET start_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        start,
    )


async def set_end(tx: Transaction, client_id: int, period_id: int, end: date | None) -> None:
    """Change the end of a period. None reopens it."""
    await tx.execute(
        "UPDATE wave_periods SET end_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        end,
    )


async def delete(tx: Transaction, client_id: int, period_id: int) -> None:
    """Delete a period that has not started."""
    await tx.execute("DELETE FROM wave_periods WHERE client_id = $1 AND id = $2", client_id, period_id)
