"""The SQL of leave adjustments."""

import asyncpg

from gaji.core.validation import Record
from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction

ELEMENT = """row_to_json((SELECT e FROM (SELECT a.id, a.employee_id, a.leave_type_id AS type_id, t.name AS type, a.date,
        trim_scale(a.millidays / 1000.0) AS days, a.reason) e))::text"""


async def elements(tx: Transaction, client_id: int, employee_id: int, page: Page | None) -> tuple[list[str], int]:
    """The adjustments of an employee as JSON, in the order of their ids; and how many there are."""
    source = "leave_adjustments a WHERE a.client_id = $1 AND a.employee_id = $2"
    rows, total = await counted(
        tx,
        f"SELECT (SELECT {ELEMENT} FROM leave_types t WHERE t.client_id = a.client_id AND t.id = a.leave_type_id) "
        f"FROM {source} ORDER BY a.id",
        source,
        page,
        client_id,
        employee_id,
    )
    return [row[0] for row in rows], total


async def kept(tx: Transaction, adjustment_id: int) -> asyncpg.Record | None:
    """Client, employee, type, date, thousandths of days and reason of an adjustment that the caller may see."""
    return await tx.fetchrow(
        "SELECT client_id, employee_id, leave_type_id, date, millidays, reason FROM leave_adjustments WHERE id = $1",
        adjustment_id,
    )


async def insert(tx: Transaction, client_id: int, employee_id: int, record: Record) -> int:
    """Save a new adjustment and give its id."""
    adjustment_id: int = await tx.fetchval(
        "INSERT INTO leave_adjustments (client_id, employee_id, leave_type_id, date, millidays, reason) "
        "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        client_id,
        employee_id,
        record["type_id"],
        record["date"],
        record["days"],
        record["reason"],
    )
    return adjustment_id


async def update(tx: Transaction, client_id: int, adjustment_id: int, record: Record) -> None:
    """Save a changed adjustment."""
    await tx.execute(
        "UPDATE leave_adjustments SET leave_type_id = $3, date = $4, millidays = $5, reason = $6, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        adjustment_id,
        record["type_id"],
        record["date"],
        record["days"],
        record["reason"],
    )


async def delete(tx: Transaction, client_id: int, adjustment_id: int) -> None:
    """Remove an adjustment."""
    await tx.execute("DELETE FROM leave_adjustments WHERE client_id = $1 AND id = $2", client_id, adjustment_id)
