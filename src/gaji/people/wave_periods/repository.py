"""The SQL of wave periods."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

ELEMENT = "row_to_json((SELECT e FROM (SELECT p.employee_id, p.wave_id, p.start_date, p.end_date) e))::text AS element"


async def elements(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """The wave periods of employees as JSON, each with its employee, in the order of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.employee_id, {ELEMENT} FROM wave_periods p "
        "WHERE p.client_id = $1 AND p.employee_id = ANY ($2::bigint[]) ORDER BY p.employee_id, p.start_date",
        client_id,
        employee_ids,
    )
    return rows


async def spans(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, wave, start and end of the wave periods of these employees, in the order of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, wave_id, start_date, end_date FROM wave_periods "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    return rows


async def on(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> list[asyncpg.Record]:
    """Employee and wave of the wave periods of these employees that hold a day."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, wave_id FROM wave_periods WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND start_date <= $3 AND (end_date IS NULL OR end_date >= $3)",
        client_id,
        employee_ids,
        day,
    )
    return rows


async def latest(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """The current period and the one before it, newest first, locked until the transaction ends."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, wave_id, start_date, end_date FROM wave_periods WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY start_date DESC LIMIT 2 FOR UPDATE",
        client_id,
        employee_id,
    )
    return rows


async def insert(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """Begin an open period."""
    await tx.execute(
        "INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date) VALUES ($1, $2, $3, $4)",
        client_id,
        employee_id,
        wave_id,
        start,
    )


async def insert_many(tx: Transaction, client_id: int, starts: Sequence[tuple[int, int, date]]) -> None:
    """Begin an open period for each of these employees, by wave."""
    rows = [(client_id, *start) for start in starts]
    await tx.load("wave_periods", ("client_id", "employee_id", "wave_id", "start_date"), rows)


async def set_end(tx: Transaction, client_id: int, period_id: int, end: date | None) -> None:
    """End a period, or open it again."""
    await tx.execute(
        "UPDATE wave_periods SET end_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        end,
    )


async def first(tx: Transaction, client_id: int, employee_id: int) -> asyncpg.Record:
    """The first period of an employee, locked until the transaction ends."""
    return await tx.fetchrow(
        "SELECT id, start_date, end_date FROM wave_periods WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY start_date LIMIT 1 FOR UPDATE",
        client_id,
        employee_id,
    )


async def set_start(tx: Transaction, client_id: int, period_id: int, start: date) -> None:
    """Move the beginning of a period."""
    await tx.execute(
        "UPDATE wave_periods SET start_date = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        period_id,
        start,
    )


async def delete(tx: Transaction, client_id: int, period_id: int) -> None:
    """Remove a period that has not begun."""
    await tx.execute("DELETE FROM wave_periods WHERE client_id = $1 AND id = $2", client_id, period_id)
