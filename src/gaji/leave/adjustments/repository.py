"""SQL for leave adjustments."""

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.leave.adjustments.schemas import AdjustmentInput

ELEMENT = """row_to_json((SELECT e FROM (SELECT a.id, a.employee_id, a.leave_type_id AS type_id, t.name AS type, a.date,
        trim_scale(a.millidays / 1000.0) AS days, a.reason) e))::text"""
CONDITIONS = {
    "ids": ids_condition("a.id"),
    "from": "a.date >= {}",
    "to": "a.date <= {}",
    "type_id": "a.leave_type_id = {}",
}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """List the adjustments of an employee as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"leave_adjustments a WHERE a.client_id = $1 AND a.employee_id = $2{conditions}"
    rows, total = await fetch_page(
        tx,
        f"SELECT (SELECT {ELEMENT} FROM leave_types t WHERE t.client_id = a.client_id AND t.id = a.leave_type_id) "
        f"AS element FROM {source} ORDER BY a.id",
        source,
        page,
        *arguments,
    )
    return [row["element"] for row in rows], total


async def load_adjustment(tx: Transaction, adjustment_id: int) -> asyncpg.Record | None:
    """Load an adjustment that the caller may see."""
    return await tx.fetchrow(
        "SELECT client_id, employee_id, leave_type_id, date, millidays, reason FROM leave_adjustments WHERE id = $1",
        adjustment_id,
    )


async def insert(tx: Transaction, client_id: int, employee_id: int, adjustment: AdjustmentInput) -> int:
    """Insert an adjustment and return its id."""
    adjustment_id: int = await tx.fetchval(
        "INSERT INTO leave_adjustments (client_id, employee_id, leave_type_id, date, millidays, reason) "
        "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        client_id,
        employee_id,
        adjustment.type_id,
        adjustment.date,
        adjustment.millidays,
        adjustment.reason,
    )
    return adjustment_id


async def update(tx: Transaction, client_id: int, adjustment_id: int, adjustment: AdjustmentInput) -> None:
    """Update an adjustment."""
    await tx.execute(
        "UPDATE leave_adjustments SET leave_type_id = $3, date = $4, millidays = $5, reason = $6, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        adjustment_id,
        adjustment.type_id,
        adjustment.date,
        adjustment.millidays,
        adjustment.reason,
    )


async def delete(tx: Transaction, client_id: int, adjustment_id: int) -> None:
    """Delete an adjustment."""
    await tx.execute("DELETE FROM leave_adjustments WHERE client_id = $1 AND id = $2", client_id, adjustment_id)
