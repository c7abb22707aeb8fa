"""Employees whom another payroll can have paid earlier in a year, and whose amounts are not entered."""

from collections.abc import Mapping
from datetime import date

from gaji.db.tenancy import Transaction


async def list_without_amounts(
    tx: Transaction, client_id: int, year: int, first_days: Mapping[int, date], *, serving_on: date | None = None
) -> list[int]:
    """List the employees without balances of a year who served in it before the first day that is paid here.

    `first_days` has that day for each wave that counts. The first wave of an employee decides. `serving_on` leaves out
    employees who are not in service on a day.
    """
    if not first_days:
        return []
    rows = await tx.fetch(
        "SELECT w.employee_id FROM (SELECT DISTINCT ON (employee_id) employee_id, wave_id FROM wave_periods "
        "WHERE client_id = $1 ORDER BY employee_id, start_date) w "
        "JOIN unnest($3::bigint[], $4::date[]) AS f(wave_id, day) USING (wave_id) "
        "CROSS JOIN LATERAL (SELECT bool_or(start_date < f.day AND coalesce(end_date >= make_date($2, 1, 1), true)) "
        "AS is_earlier, bool_or($5 BETWEEN start_date AND coalesce(end_date, $5)) AS serves "
        "FROM service_periods WHERE client_id = $1 AND employee_id = w.employee_id) service "
        "WHERE service.is_earlier AND ($5::date IS NULL OR service.serves) "
        # NOT IN is hashed. An anti-join would read all balances for each employee if the table seems to be empty.
        "AND w.employee_id NOT IN (SELECT employee_id FROM take_on_balances WHERE client_id = $1 AND year = $2) "
        "ORDER BY w.employee_id",
        client_id,
        year,
        list(first_days),
        list(first_days.values()),
        serving_on,
    )
    return [row["employee_id"] for row in rows]
