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
        "WHERE EXISTS (SELECT FROM service_periods s WHERE s.client_id = $1 AND s.employee_id = w.employee_id "
        "AND s.start_date < f.day AND (s.end_date IS NULL OR s.end_date >= make_date($2, 1, 1))) "
        "AND ($5::date IS NULL OR EXISTS (SELECT FROM service_periods s WHERE s.client_id = $1 "
        "AND s.employee_id = w.employee_id AND s.start_date <= $5 AND (s.end_date IS NULL OR s.end_date >= $5))) "
        "AND NOT EXISTS (SELECT FROM take_on_balances b "
        "WHERE b.client_id = $1 AND b.employee_id = w.employee_id AND b.year = $2) ORDER BY w.employee_id",
        client_id,
        year,
        list(first_days),
        list(first_days.values()),
        serving_on,
    )
    return [row["employee_id"] for row in rows]
