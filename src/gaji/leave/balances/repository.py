"""SQL for leave days and adjustments."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction

# Whole columns as bytes, which NumPy reads directly. There may be hundreds of thousands of rows: one record for each
# takes ten times as long, one array for each column twice as long.
COLUMNS = """SELECT string_agg(int8send(employee_id), ''), string_agg(int8send(leave_type_id), ''),
        string_agg(date_send(date), ''), string_agg(int4send(millidays), '') FROM {rows} r"""
ROWS = "SELECT employee_id, leave_type_id, date, millidays FROM {table} WHERE date <= $2 AND client_id ="
TABLES = ("leave_days", "leave_adjustments")
OF_CLIENT = " UNION ALL ".join(COLUMNS.format(rows=f"({ROWS.format(table=table)} $1)") for table in TABLES)
OF_EMPLOYEES = " UNION ALL ".join(
    COLUMNS.format(rows=each_id("$3", f"{ROWS.format(table=table)} ids.client_id AND employee_id = ids.id"))
    for table in TABLES
)


async def load_columns(
    tx: Transaction, client_id: int, until: date, employee_ids: Sequence[int] | None
) -> list[asyncpg.Record]:
    """Load leave days and adjustments up to a day, as two rows of four columns.

    The columns are employee and type as 8-byte integers, days since 2000 and thousandths of days as 4-byte integers.
    They are None without rows.
    """
    rows: list[asyncpg.Record]
    if employee_ids is None:
        rows = await tx.fetch(OF_CLIENT, client_id, until)
    else:
        rows = await tx.fetch(OF_EMPLOYEES, client_id, until, employee_ids)
    return rows


async def list_adjusted(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[int]:
    """List the employees with adjustments."""
    query = "SELECT employee_id FROM leave_adjustments WHERE client_id = ids.client_id AND employee_id = ids.id LIMIT 1"
    rows = await tx.fetch(f"SELECT a.employee_id FROM {each_id('$2', query)} a", client_id, employee_ids)
    return [row["employee_id"] for row in rows]


async def list_recorded(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """List leave days (negative) and adjustments of one employee in chronological order.

    Only adjustments have a reason, and only leave days have a `day_id`.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        """SELECT leave_type_id, date, -millidays AS millidays, millihours, NULL AS reason, id AS day_id
        FROM leave_days WHERE client_id = $1 AND employee_id = $2
        UNION ALL SELECT leave_type_id, date, millidays, NULL, reason, NULL
        FROM leave_adjustments WHERE client_id = $1 AND employee_id = $2 ORDER BY date, day_id""",
        client_id,
        employee_id,
    )
    return rows
