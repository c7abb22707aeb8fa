"""Leave days that other packages read."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction

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


async def load_changed_employees(
    tx: Transaction, client_id: int, payment_run_id: int, since: datetime
) -> dict[int, datetime]:
    """Return when leave in the periods of the payslips of a run was last recorded or changed, if after a time.

    By employee. Leave that was deleted after the time counts whatever its date was.
    """
    rows = await tx.fetch(
        "SELECT p.employee_id, max(c.changed_at) AS changed_at FROM payslips p CROSS JOIN LATERAL ("
        "SELECT updated_at AS changed_at FROM leave_days WHERE client_id = p.client_id "
        "AND employee_id = p.employee_id AND date BETWEEN p.start_date AND p.date AND updated_at > $3 "
        "UNION ALL SELECT deleted_at FROM last_changes WHERE client_id = p.client_id AND resource = 'leave_day' "
        "AND employee_id = p.employee_id AND deleted_at > $3 OFFSET 0) c "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 GROUP BY p.employee_id",
        client_id,
        payment_run_id,
        since,
    )
    return {row["employee_id"]: row["changed_at"] for row in rows}


async def load_changed_runs(
    tx: Transaction, client_ids: Sequence[int], payment_run_ids: Sequence[int], since: Sequence[datetime]
) -> dict[int, datetime]:
    """Return when leave in the periods of runs was last recorded or changed, if after a time of each, by run.

    The sequences are parallel. Leave that was deleted after the time counts whatever its date and employee were.
    """
    # The deleted leave of a client is looked up once for all its runs.
    rows = await tx.fetch(
        "WITH deleted AS MATERIALIZED (SELECT c.id AS client_id, (SELECT max(deleted_at) FROM last_changes "
        "WHERE client_id = c.id AND resource = 'leave_day') AS deleted_at "
        "FROM (SELECT DISTINCT unnest($1::bigint[]) AS id) c) "
        "SELECT r.id, greatest(d.deleted_at, l.updated_at) AS changed_at "
        "FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS r(client_id, id, since) "
        "JOIN deleted d USING (client_id) CROSS JOIN LATERAL ("
        "SELECT max(day.updated_at) AS updated_at FROM payslips p JOIN leave_days day ON day.client_id = p.client_id "
        "AND day.employee_id = p.employee_id AND day.date BETWEEN p.start_date AND p.date "
        "WHERE p.client_id = r.client_id AND p.payment_run_id = r.id) l "
        "WHERE d.deleted_at > r.since OR l.updated_at > r.since",
        client_ids,
        payment_run_ids,
        since,
    )
    return {row["id"]: row["changed_at"] for row in rows}
