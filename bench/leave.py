"""Leave balances of ten thousand employees on one date, against one statement that sums what was recorded.

Both sides read the same days of leave and adjustments through the same policies of the same database. The bare side
adds them up by employee and type, and is done. Ours also derives what accrued, was carried over and expired in every
year of service, and gives the balance of every type.
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
from bench.bars import Bar, Sample, Sides
from bench.company import populate
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.leave.balances.columns import balances_on
from gaji.leave.balances.ledger import ledger_of

EMPLOYEES = 10_000
ON = date(2026, 5, 31)
CHECKED = 50
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
# Everyone began on another day of the last ten years.
SERVICE = """
    UPDATE service_periods SET start_date = date '2016-01-01' + (employee_id * 7919 % 3500)::integer,
           end_date = NULL, termination_code = NULL, ir21 = NULL WHERE client_id = $1
"""
# Thirty days of leave each, most of them annual leave, in the last years of each service.
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
class Company:
    """A client whose employees have leave."""

    tenant: Tenant
    client_id: int

    async def balances(self) -> Sample:
        """Every balance of everyone."""
        async with self.tenant.transaction() as tx:
            started = time.perf_counter()
            found = await balances_on(tx, self.client_id, ON)
            sample = Sample((time.perf_counter() - started) * 1000)
        assert len(found.employee_ids) == EMPLOYEES
        return sample

    async def sums(self) -> Sample:
        """What was recorded, summed."""
        async with self.tenant.transaction() as tx:
            started = time.perf_counter()
            rows = await tx.fetch(SUMMED, self.client_id, ON)
            sample = Sample((time.perf_counter() - started) * 1000)
        assert len(rows) > EMPLOYEES
        return sample

    async def check(self) -> None:
        """That the balances are those that the movements of some employees come to."""
        async with self.tenant.transaction() as tx:
            found = await balances_on(tx, self.client_id, ON)
            for place in range(0, EMPLOYEES, EMPLOYEES // CHECKED):
                ledger = await ledger_of(tx, self.client_id, found.employee_ids[place])
                moved = [sum(move.millidays for move in ledger.movements(one, ON)) for one in found.types]
                assert np.array_equal(found.millidays[place], moved)


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation() as (installed, demo), asyncio.Runner() as runner:
        company = runner.run(_company(installed, demo.email))
        runner.run(company.check())
        yield Sides(ours=lambda: runner.run(company.balances()), ceiling=lambda: runner.run(company.sums()))


async def _company(installed: Installation, email: str) -> Company:
    pool = await open_pool(installed.database.as_application("bench"))
    tenant = Tenant(pool, installed.vault, await find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": "Leave"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, 0, EMPLOYEES)
        await _with_leave(connection, client_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return Company(tenant, client_id)


async def _with_leave(connection: asyncpg.Connection, client_id: int) -> None:
    for statement in (SERVICE, DAYS, ADJUSTMENTS):
        await connection.execute(statement, client_id)


BAR = Bar(name="leave of 10,000", unit="ms", sides=_sides, at_most=3)
