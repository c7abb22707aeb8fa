"""Employees whom another payroll can have paid earlier in a year, and whose amounts are not entered."""

from collections.abc import Mapping
from datetime import date

from gaji.db.tenancy import Transaction


async def list_without_amounts(
    tx: Transaction, first_days: Mapping[int, Mapping[int, date]], year: int, *, serving_on: date | None = None
) -> dict[int, list[int]]:
    """List the employees of each client without balances of a year who served in it before the first day paid here.

    `first_days` has that day for each wave that counts, by client. The first wave of an employee decides. `serving_on`
    leaves out employees who are not in service on a day. Clients without such employees are left out.
    """
    days = {wave_id: day for days_of_client in first_days.values() for wave_id, day in days_of_client.items()}
    if not days:
        return {}
    rows = await tx.fetch(
        "SELECT w.client_id, w.employee_id FROM (SELECT DISTINCT ON (employee_id) client_id, employee_id, wave_id "
        "FROM wave_periods WHERE client_id = ANY($1::bigint[]) ORDER BY employee_id, start_date) w "
        "JOIN unnest($3::bigint[], $4::date[]) AS f(wave_id, day) USING (wave_id) "
        "CROSS JOIN LATERAL (SELECT bool_or(start_date < f.day AND coalesce(end_date >= make_date($2, 1, 1), true)) "
        "AS is_earlier, bool_or($5 BETWEEN start_date AND coalesce(end_date, $5)) AS serves "
        "FROM service_periods WHERE client_id = w.client_id AND employee_id = w.employee_id) service "
        "WHERE service.is_earlier AND ($5::date IS NULL OR service.serves) "
        # NOT IN is hashed. An anti-join would read all balances for each employee if the table seems to be empty.
        "AND w.employee_id NOT IN (SELECT employee_id FROM take_on_balances WHERE client_id = ANY($1::bigint[]) "
        "AND year = $2) ORDER BY w.employee_id",
        [client_id for client_id, days_of_client in first_days.items() if days_of_client],
        year,
        list(days),
        list(days.values()),
        serving_on,
    )
    employee_ids: dict[int, list[int]] = {}
    for row in rows:
        employee_ids.setdefault(row["client_id"], []).append(row["employee_id"])
    return employee_ids
