"""SQL for the leave of a whole company."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction

LEAVE = """SELECT d.employee_id, d.date, d.leave_type_id, d.millidays, d.id FROM leave_days d
    WHERE d.client_id = $1 AND d.date BETWEEN $2 AND $3"""
OF_DAYS = f"""
    SELECT employee_id, date, t.name AS type, millidays, total
    FROM (SELECT l.*, row_number() OVER (PARTITION BY date ORDER BY employee_id, id) AS place,
                 count(*) OVER (PARTITION BY date) AS total FROM ({LEAVE}) l) o
    JOIN leave_types t ON t.client_id = $1 AND t.id = o.leave_type_id"""


async def list_absences(
    tx: Transaction, client_id: int, first: date, last: date, page: ListPage
) -> list[asyncpg.Record]:
    """List a page of the employees who are away on each day, with their total number."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"{OF_DAYS} WHERE place > $4 AND place <= $4 + $5 ORDER BY date, place",
        client_id,
        first,
        last,
        page.offset,
        page.size,
    )
    return rows


async def list_pending(tx: Transaction, client_id: int, limit: int) -> list[asyncpg.Record]:
    """List requests and withdrawals without a decision, oldest first. The dates are JSON."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, employee_id, dates, reason, part_of_day, created_at, status FROM leave_requests "
        "WHERE client_id = $1 AND status IN ('pending', 'withdrawing') ORDER BY id LIMIT $2",
        client_id,
        limit,
    )
    return rows


async def count_pending(tx: Transaction, client_ids: Sequence[int]) -> dict[int, int]:
    """Count requests and withdrawals without a decision by client. Clients without any are left out."""
    rows = await tx.fetch(
        "SELECT client_id, count(*) AS requests FROM leave_requests WHERE client_id = ANY ($1::bigint[]) "
        "AND status IN ('pending', 'withdrawing') GROUP BY client_id",
        client_ids,
    )
    return {row["client_id"]: row["requests"] for row in rows}
