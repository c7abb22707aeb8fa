"""A company of any size for the bars, created in SQL: employees of every status with four recurring items."""

from datetime import date

import asyncpg

PERIOD = (date(2026, 1, 1), date(2026, 1, 31))

# Attributes are derived from the employee number, so that every run of a bar has the same employees.
EMPLOYEES = """
    INSERT INTO employees (client_id, number, first_name, name_format, payment_method, birthdate, legal_status,
                           nationality, pr_date, pr_cpf_rates, gender, race, religion, sdl_exempt, cpf_exempt,
                           work_pass, pass_from, pass_to, employment_act_group)
    SELECT $1, n::text, 'Employee ' || n, 1, 'cash', date '1958-01-01' + (n * 97 % 17000), status, 'SG',
           CASE status WHEN 'PR' THEN date '2022-01-01' + (n * 31 % 1400) END, 'GG', 'F',
           (ARRAY['CHINESE', 'CHINESE', 'MALAY', 'INDIAN', 'EURASIAN'])[n % 5 + 1], 'NONE', false, false,
           CASE status WHEN 'FOREIGNER_WP' THEN 'WP' WHEN 'FOREIGNER' THEN 'EP' END,
           CASE status WHEN 'FOREIGNER_WP' THEN date '2025-01-01' END,
           CASE status WHEN 'FOREIGNER_WP' THEN date '2027-01-01' END,
           (ARRAY['non_workman', 'workman', 'manager'])[n % 3 + 1]
    FROM (SELECT n, (ARRAY['CITIZEN', 'CITIZEN', 'CITIZEN', 'CITIZEN', 'CITIZEN', 'CITIZEN', 'CITIZEN', 'PR',
                           'FOREIGNER', 'FOREIGNER_WP'])[n % 10 + 1] AS status
          FROM generate_series(1, $2::integer) n) numbered
"""
# One employee in fifty joins in the month, and one in sixty leaves in it.
SERVICE = """
    INSERT INTO service_periods (client_id, employee_id, start_date, end_date, termination_code, ir21)
    SELECT client_id, id, CASE WHEN n % 50 = 0 THEN date '2026-01-12' ELSE date '2025-03-01' END,
           CASE WHEN n % 60 = 1 THEN date '2026-01-20' END, CASE WHEN n % 60 = 1 THEN 1 END,
           CASE WHEN n % 60 = 1 THEN false END
    FROM (SELECT client_id, id, number::integer AS n FROM employees WHERE client_id = $1) e
"""
WAVES = """
    INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date)
    SELECT client_id, id, $2, date '2025-03-01' FROM employees WHERE client_id = $1
"""
ITEMS = """
    INSERT INTO calculations (client_id, employee_id, type, inputs)
    SELECT e.client_id, e.id, i.type,
           jsonb_build_object(i.input, (i.minimum + e.number::integer * 7919 % i.spread)::text || '.00')
    FROM employees e, (VALUES ('basic_salary', 'fixed_amount', 1800, 7000), ('transport_allowance', 'amount', 50, 200),
                              ('meal_allowance', 'amount', 20, 150), ('insurance', 'amount', 10, 40))
                      AS i(type, input, minimum, spread)
    WHERE e.client_id = $1
"""
DRAFTS = """
    INSERT INTO payslips (client_id, employee_id, wave_id, period_offset, start_date, date, pay_date)
    SELECT client_id, id, $2, $3, $4, $5, $5 FROM employees WHERE client_id = $1
"""


async def populate(connection: asyncpg.Connection, client_id: int, wave_id: int, offset: int, employees: int) -> None:
    """Create employees with drafts that are waiting to be calculated. Needs a maintenance connection."""
    await connection.execute("SELECT set_config('gaji.audit', 'off', true)")
    await connection.execute(EMPLOYEES, client_id, employees)
    await connection.execute(SERVICE, client_id)
    await connection.execute(WAVES, client_id, wave_id)
    await connection.execute(ITEMS, client_id)
    await connection.execute(DRAFTS, client_id, wave_id, offset, *PERIOD)
