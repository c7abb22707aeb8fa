"""The SQL of what balances are made of: days of leave and adjustments."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

# The bytes of whole columns, which become columns here as they are. There may be hundreds of thousands of rows, and a
# record for each takes ten times as long, an array of each column twice.
COLUMNS = """SELECT string_agg(int8send(employee_id), ''), string_agg(int8send(leave_type_id), ''),
        string_agg(int8send(date - date '1970-01-01'), ''), string_agg(int8send(millidays), '') FROM {table}
        WHERE client_id = $1 AND date <= $2 AND ($3::bigint[] IS NULL OR employee_id = ANY ($3))"""
BOTH = " UNION ALL ".join(COLUMNS.format(table=table) for table in ("leave_days", "leave_adjustments"))


async def columns(
    tx: Transaction, client_id: int, until: date, employee_ids: Sequence[int] | None
) -> list[asyncpg.Record]:
    """Leave that was taken, and adjustments, up to a day, of all employees of a client or of these, as four columns
    each: employee, type, days since 1970 and thousandths of days, in the database's 8 bytes; None for no rows."""
    rows: list[asyncpg.Record] = await tx.fetch(BOTH, client_id, until, employee_ids)
    return rows


async def recorded(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Everything that was recorded of one employee, in the order of time: type, date, thousandths of days (leave that
    was taken is below zero) and of hours, the reason of an adjustment, and the id of a day of leave."""
    rows: list[asyncpg.Record] = await tx.fetch(
        """SELECT leave_type_id, date, -millidays AS millidays, millihours, NULL AS reason, id AS day_id
        FROM leave_days WHERE client_id = $1 AND employee_id = $2
        UNION ALL SELECT leave_type_id, date, millidays, NULL, reason, NULL
        FROM leave_adjustments WHERE client_id = $1 AND employee_id = $2 ORDER BY date, day_id""",
        client_id,
        employee_id,
    )
    return rows
