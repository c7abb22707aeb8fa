"""Leave days that other packages read."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.law.months import Month

LeaveByType = Mapping[str, list[tuple[date, int]]]
"""Dates with thousandths of days in chronological order, by system type of the leave."""


async def load_leave_by_type(
    tx: Transaction, client_id: int, system_types: Sequence[str], employee_ids: Sequence[int]
) -> dict[int, LeaveByType]:
    """Load all leave days of some types, by employee. Employees without such leave are left out."""
    query = "SELECT * FROM leave_days WHERE client_id = ids.client_id AND employee_id = ids.id AND millidays > 0"
    rows = await tx.fetch(
        f"SELECT d.employee_id, t.system_type, d.date, d.millidays FROM {each_id('$3', query)} d "
        "JOIN leave_types t ON t.client_id = d.client_id AND t.id = d.leave_type_id "
        "WHERE t.system_type = ANY ($2::text[]) ORDER BY d.employee_id, d.date, d.id",
        client_id,
        system_types,
        employee_ids,
    )
    leave: dict[int, dict[str, list[tuple[date, int]]]] = {}
    for row in rows:
        by_type = leave.setdefault(row["employee_id"], {})
        by_type.setdefault(row["system_type"], []).append((row["date"], row["millidays"]))
    return dict(leave)


async def list_changed_employees(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date, since: datetime
) -> list[int]:
    """List those of some employees whose leave in a range of dates was recorded or changed after a time.

    Leave that was deleted after the time counts whatever its date was.
    """
    changed = (
        "SELECT employee_id FROM leave_days WHERE client_id = ids.client_id AND employee_id = ids.id "
        "AND date BETWEEN $3 AND $4 AND updated_at > $5 "
        "UNION SELECT employee_id FROM last_changes WHERE client_id = ids.client_id AND resource = 'leave_day' "
        "AND employee_id = ids.id AND deleted_at > $5"
    )
    rows = await tx.fetch(
        f"SELECT d.employee_id FROM {each_id('$2', f'SELECT * FROM ({changed}) c')} d ORDER BY d.employee_id",
        client_id,
        employee_ids,
        first,
        last,
        since,
    )
    return [row["employee_id"] for row in rows]


async def find_changed_months(
    tx: Transaction, client_ids: Sequence[int], months: Sequence[Month], since: Sequence[datetime]
) -> set[tuple[int, Month]]:
    """Return the clients and months with leave that was recorded or changed after a time of each."""
    rows = await tx.fetch(
        "SELECT r.position FROM unnest($1::bigint[], $2::date[], $3::date[], $4::timestamptz[]) "
        "WITH ORDINALITY AS r (client_id, first, last, since, position) "
        "WHERE EXISTS (SELECT FROM leave_days d WHERE d.client_id = r.client_id "
        "AND d.date BETWEEN r.first AND r.last AND d.updated_at > r.since)",
        client_ids,
        [month.first_day for month in months],
        [month.last_day for month in months],
        since,
    )
    return {(client_ids[row["position"] - 1], months[row["position"] - 1]) for row in rows}
