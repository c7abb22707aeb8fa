"""The SQL of what balances are made of: days of leave and adjustments."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

# Leave that was taken is below zero.
RECORDED = """(SELECT employee_id, leave_type_id, date, -millidays AS millidays, true AS taken
        FROM leave_days WHERE client_id = $1
        UNION ALL SELECT employee_id, leave_type_id, date, millidays, false
        FROM leave_adjustments WHERE client_id = $1)"""
# The completed months of service when a day begins: what tells one leave year, and one expiry, from another.
MONTHS = """(extract(year FROM r.date)::int - extract(year FROM p.first)::int) * 12
        + extract(month FROM r.date)::int - extract(month FROM p.first)::int
        - (extract(day FROM r.date) < extract(day FROM p.first))::int"""


async def sums(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    firsts: Sequence[date],
    untils: Sequence[date],
    splits: Sequence[date],
    exact: Sequence[bool],
) -> list[asyncpg.Record]:
    """What was recorded from first to last days, by place from 1: type, a date, thousandths, whether leave was taken,
    and whether from the split on.

    Only what balances cannot tell apart is summed: leave of the same month of service. Where it has to be exact, each
    date stands for itself.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""SELECT p.place, r.leave_type_id, min(r.date), sum(r.millidays), r.taken, r.date >= p.split
        FROM unnest($2::bigint[], $3::date[], $4::date[], $5::date[], $6::boolean[])
             WITH ORDINALITY AS p(employee_id, first, until, split, exact, place)
        JOIN {RECORDED} r ON r.employee_id = p.employee_id AND r.date BETWEEN p.first AND p.until
        GROUP BY p.place, r.leave_type_id, r.taken, r.millidays < 0, r.date >= p.split, {MONTHS},
                 CASE WHEN p.exact THEN r.date END""",
        client_id,
        employee_ids,
        firsts,
        untils,
        splits,
        exact,
    )
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
