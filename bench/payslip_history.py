"""Months of finalised payslips for bars and tests, copied in SQL from the payslips of one month."""

import asyncpg

# The copies differ only in their dates. For reading a year of payslips that is enough.
COPIES = """
    INSERT INTO payslips (client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, dirty, finalised,
                          finalised_at, nett_pay, lines, inputs, rules_version, catalogue_version, moved)
    SELECT client_id, employee_id, wave_id, period_offset + m, (start_date + make_interval(months => m))::date,
           (start_date + make_interval(months => m + 1))::date - 1,
           (start_date + make_interval(months => m + 1))::date - 1,
           false, true, now(), nett_pay, lines, inputs, rules_version, catalogue_version, moved
    FROM payslips, generate_series(1, $2::integer - 1) m WHERE client_id = $1 ORDER BY m, employee_id
"""
# One employee in ten repays a loan, and one in twenty saves.
LOANS = """
    INSERT INTO calculations (client_id, employee_id, type, inputs)
    SELECT client_id, id, CASE WHEN number::integer % 20 = 0 THEN 'savings' ELSE 'loan' END,
           '{"balance": "5000.00", "instalment": "100.00"}'
    FROM employees WHERE client_id = $1 AND number::integer % 10 = 0
"""
# Eight days of annual leave and two of sick leave a year, all on Tuesdays.
LEAVE = """
    INSERT INTO leave_days (client_id, employee_id, leave_type_id, date, day_millihours, millidays, working_millidays)
    SELECT e.client_id, e.id, t.id, date '2026-01-06' + 7 * (5 * n + e.number::integer % 5), 8000, 1000, 1000
    FROM employees e, generate_series(0, 9) n, leave_types t
    WHERE e.client_id = $1 AND t.client_id = $1
      AND t.system_type = CASE WHEN n < 8 THEN 'annual_leave' ELSE 'sick_leave' END
"""


async def add_loans(connection: asyncpg.Connection, client_id: int) -> None:
    """Add loans and savings to some employees, before their payslips are calculated."""
    await connection.execute("SELECT set_config('gaji.audit', 'off', true)")
    await connection.execute(LOANS, client_id)


async def add_leave_days(connection: asyncpg.Connection, client_id: int) -> None:
    """Add leave days in 2026 to all employees."""
    await connection.execute("SELECT set_config('gaji.audit', 'off', true)")
    await connection.execute(LEAVE, client_id)


async def repeat_payslips(connection: asyncpg.Connection, client_id: int, months: int) -> None:
    """Finalise the payslips of a client, which are for one month, and copy them to the following months."""
    await connection.execute(
        "UPDATE payslips SET finalised = true, finalised_at = now() WHERE client_id = $1 AND NOT finalised", client_id
    )
    await connection.execute(COPIES, client_id, months)
