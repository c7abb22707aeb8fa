"""Leave balances of ten thousand employees on one date, compared with one statement that sums the records.

Both sides read the same leave days and adjustments under the same row-level security. The baseline only sums them by
employee and type. Ours also derives what accrued, was carried over and expired in every year of service.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import asyncpg
import numpy as np

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.company import populate
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.leave.balances.columns import load_balances
from gaji.leave.balances.ledger import load_ledger

EMPLOYEES = 10_000
AS_OF = date(2026, 5, 31)
CHECKED_EMPLOYEES = 50
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
# Each employee started on a different day of the last ten years.
SERVICE = """
    UPDATE service_periods SET start_date = date '2016-01-01' + (employee_id * 7919 % 3500)::integer,
           end_date = NULL, termination_code = NULL, ir21 = NULL WHERE client_id = $1
"""
# Thirty days of leave for each employee, mostly annual leave.
DAYS = """
    INSERT INTO leave_days (client_id, employee_id, leave_type_id, date, day_millihours, millidays, working_millidays)
    SELECT s.client_id, s.employee_id, t.id,
           s.start_date + 100 + ((s.employee_id * 31 + n * 97) % (date '2026-12-31' - s.start_date - 100))::integer,
           8000, 1000, 1000
    FROM service_periods s CROSS JOIN generate_series(1, 30) n
    JOIN leave_types t ON t.client_id = s.client_id AND t.system_type =
         CASE WHEN n % 5 = 0 THEN 'sick_leave' WHEN n % 11 = 0 THEN 'unpaid_leave' ELSE 'annual_leave' END
    WHERE s.client_id = $1
"""
ADJUSTMENTS = """
    INSERT INTO leave_adjustments (client_id, employee_id, leave_type_id, date, millidays, reason)
    SELECT s.client_id, s.employee_id, t.id, date '2026-01-01', 6000, 'A child'
    FROM service_periods s JOIN leave_types t ON t.client_id = s.client_id AND t.system_type = 'childcare_leave'
    WHERE s.client_id = $1
"""
SUMMED = """
    SELECT r.employee_id, r.leave_type_id, sum(r.millidays)
    FROM (SELECT employee_id, leave_type_id, date, -millidays AS millidays FROM leave_days WHERE client_id = $1
          UNION ALL SELECT employee_id, leave_type_id, date, millidays FROM leave_adjustments WHERE client_id = $1) r
    JOIN service_periods s ON s.client_id = $1 AND s.employee_id = r.employee_id
         AND s.start_date <= $2 AND (s.end_date IS NULL OR s.end_date >= $2)
    WHERE r.date BETWEEN s.start_date AND $2 GROUP BY 1, 2
"""


@dataclass
class LeaveCompany:
    """A client whose employees have leave records."""

    tenant: Tenant
    client_id: int

    async def measure_balances(self) -> Sample:
        """Load every balance of every employee."""
        async with self.tenant.transaction() as tx:
            started = time.perf_counter()
            balances = await load_balances(tx, self.client_id, AS_OF)
            sample = Sample((time.perf_counter() - started) * 1000)
        assert len(balances.employee_ids) == EMPLOYEES
        return sample

    async def measure_sums(self) -> Sample:
        """Sum the records."""
        async with self.tenant.transaction() as tx:
            started = time.perf_counter()
            rows = await tx.fetch(SUMMED, self.client_id, AS_OF)
            sample = Sample((time.perf_counter() - started) * 1000)
        assert len(rows) > EMPLOYEES
        return sample

    async def check(self) -> None:
        """Check that the balances of some employees equal the sums of their movements."""
        async with self.tenant.transaction() as tx:
            balances = await load_balances(tx, self.client_id, AS_OF)
            for index in range(0, EMPLOYEES, EMPLOYEES // CHECKED_EMPLOYEES):
                ledger = await load_ledger(tx, self.client_id, balances.employee_ids[index])
                totals = [
                    sum(movement.millidays for movement in ledger.movements(leave_type, AS_OF))
                    for leave_type in balances.types
                ]
                assert np.array_equal(balances.millidays[index], totals)


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo() as (installed, demo), asyncio.Runner() as runner:
        company = runner.run(_create_company(installed, demo.email))
        runner.run(company.check())
        yield Sides(
            ours=lambda: runner.run(company.measure_balances()), baseline=lambda: runner.run(company.measure_sums())
        )


async def _create_company(installed: Installation, email: str) -> LeaveCompany:
    pool = await open_pool(installed.database.as_application("bench"))
    tenant = Tenant(pool, installed.vault, await find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": "Leave"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, 0, EMPLOYEES)
        await _add_leave(connection, client_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return LeaveCompany(tenant, client_id)


async def _add_leave(connection: asyncpg.Connection, client_id: int) -> None:
    for statement in (SERVICE, DAYS, ADJUSTMENTS):
        await connection.execute(statement, client_id)


BAR = PerformanceBar(name="leave of 10,000", unit="ms", sides=_sides, max_ratio=2)
