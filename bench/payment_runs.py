"""Open, calculate and store a payment run, compared with PostgreSQL inserting the same finished payslips.

Ours runs the request and the task in this process, from the check whether the run may be opened to the commit of the
last payslip. The baseline inserts the resulting rows from a temporary table into the same table, with the same
constraints and policies, and commits. All drafts are waiting to be calculated each time. The table is vacuumed before
each side, so that neither is slowed by the other.
"""

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.company import PERIOD, populate
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.queries import load_pay_calendars
from gaji.core.gc_tuning import tune_gc
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.tasks import populate_client

SIZES = {"BENCH_SMALL": 3_000, "BENCH_FULL": 100_000}
EMPLOYEES = next((size for name, size in SIZES.items() if os.environ.get(name)), 30_000)
TENTH = EMPLOYEES // 10
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
RESET = "UPDATE payslips SET payment_run_id = NULL, dirty = true, lines = '{}', inputs = NULL WHERE client_id = $1"
# The same rows in the next period, because an employee can have only one regular payslip for a period.
COPY_FINISHED = "CREATE TEMPORARY TABLE finished AS SELECT * FROM payslips WHERE client_id = {client_id:d}"
MOVE_TO_NEXT_PERIOD = """UPDATE finished SET period_offset = period_offset + 1,
    id = nextval(pg_get_serial_sequence('payslips', 'id'))"""
INSERT = "INSERT INTO payslips OVERRIDING SYSTEM VALUE SELECT * FROM finished"
REMOVE = "DELETE FROM payslips WHERE client_id = $1 AND period_offset > $2"
MAX_MEMORY_MIB = 1024


@dataclass
class BenchPayroll:
    """A client with drafts to pay."""

    installed: Installation
    pool: Pool
    tenant: Tenant
    client_id: int
    wave_id: int
    offset: int
    employees: int

    async def measure_run(self) -> Sample:
        """Open a run of all drafts, and calculate and store them."""
        await self.reset()
        started = time.perf_counter()
        await self.pay()
        sample = Sample(elapsed_ms(started), {"memory_mib": peak_memory_mib()})
        await self._check()
        return sample

    async def reset(self) -> None:
        """Delete the run, and let all drafts wait to be calculated."""
        async with self.installed.database.maintenance() as connection:
            await connection.execute(RESET, self.client_id)
            await connection.execute("DELETE FROM payment_runs WHERE client_id = $1", self.client_id)
        await self.vacuum()

    async def pay(self) -> None:
        """Open a run of all drafts, and calculate and store them."""
        await open_run(self.tenant, self.client_id, {"wave_id": self.wave_id, "period_end_date": str(PERIOD[1])})
        await populate_client(self.pool, self.installed.vault, self.client_id)

    async def measure_insert(self) -> Sample:
        """Insert the resulting payslips."""
        await self.vacuum()
        async with self.tenant.transaction() as tx:
            await tx.execute(COPY_FINISHED.format(client_id=self.client_id))
            await tx.execute(MOVE_TO_NEXT_PERIOD)
            await tx.execute("ANALYZE finished")
            connection = tx.connection
        started = time.perf_counter()
        await connection.execute(f"BEGIN; {self.tenant.enter_statement()}")
        await connection.execute(INSERT)
        await connection.execute("COMMIT")
        sample = Sample(elapsed_ms(started))
        await connection.execute("DROP TABLE finished")
        async with self.installed.database.maintenance() as owner:
            await owner.execute(REMOVE, self.client_id, self.offset)
        return sample

    async def vacuum(self) -> None:
        """Remove the old rows of payslips."""
        async with self.installed.database.owner_connection() as connection:
            await connection.execute("VACUUM ANALYZE payslips")

    async def vacuum_all(self) -> None:
        """Update the statistics of all tables."""
        async with self.installed.database.owner_connection() as connection:
            await connection.execute("VACUUM ANALYZE")

    async def _check(self) -> None:
        async with self.tenant.transaction() as tx:
            query = "SELECT count(*) FROM payslips WHERE client_id = $1 AND payment_run_id IS NOT NULL AND NOT dirty"
            calculated = await tx.fetchval(query, self.client_id)
        if calculated != self.employees:
            raise RuntimeError(f"{calculated} of {self.employees} payslips are in the run and calculated")


@contextmanager
def create_payrolls(*sizes: int) -> Iterator[tuple[asyncio.Runner, list[BenchPayroll]]]:
    with servers.open_demo(1) as (installed, demo), asyncio.Runner() as runner:
        tune_gc()  # as a worker does
        pool = runner.run(open_pool(installed.database.as_application("bench")))
        tenant = Tenant(pool, installed.vault, runner.run(find_user(installed.database, demo.email)))
        try:
            payrolls = [runner.run(create_payroll(installed, pool, tenant, size)) for size in sizes]
            runner.run(payrolls[0].vacuum_all())
            yield runner, payrolls
        finally:
            runner.run(pool.close())


async def create_payroll(installed: Installation, pool: Pool, tenant: Tenant, employees: int) -> BenchPayroll:
    """Create a company whose drafts are waiting to be calculated."""
    client_id, _ = await clients.create_client(tenant, {"name": f"{employees:,} employees"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with tenant.transaction() as tx:
        offset = (await load_pay_calendars(tx, client_id))[wave_id].first_offset
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, offset, employees)
    as_in_request = Tenant(pool, installed.vault, tenant.caller, record=("clients", client_id))
    return BenchPayroll(installed, pool, as_in_request, client_id, wave_id, offset, employees)


@contextmanager
def _compare_with_insert() -> Iterator[Sides]:
    with create_payrolls(EMPLOYEES) as (runner, [payroll]):
        runner.run(payroll.measure_run())  # creates the rows to insert
        yield Sides(
            ours=lambda: runner.run(payroll.measure_run()), baseline=lambda: runner.run(payroll.measure_insert())
        )


@contextmanager
def _compare_with_tenth() -> Iterator[Sides]:
    with create_payrolls(EMPLOYEES, TENTH) as (runner, [full, tenth]):
        for payroll in (full, tenth):
            runner.run(payroll.measure_run())  # prepares every statement on every connection
        yield Sides(
            ours=lambda: _measure_per_employee(runner, full), baseline=lambda: _measure_per_employee(runner, tenth)
        )


def _measure_per_employee(runner: asyncio.Runner, payroll: BenchPayroll) -> Sample:
    """Return the microseconds per employee."""
    sample = runner.run(payroll.measure_run())
    return Sample(sample.value * 1000 / payroll.employees, sample.notes)


def elapsed_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def peak_memory_mib() -> float:
    """Return the peak memory of this process."""
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if peak_mib > MAX_MEMORY_MIB:
        raise RuntimeError(f"the worker used {peak_mib:.0f} MiB, more than {MAX_MEMORY_MIB}")
    return peak_mib


BAR = PerformanceBar(name=f"pay run of {EMPLOYEES:,}", unit="ms", sides=_compare_with_insert, max_ratio=3.0, rounds=5)
PER_EMPLOYEE = PerformanceBar(
    name=f"pay run, to {TENTH:,}", unit="us each", sides=_compare_with_tenth, min_ratio=1 / 1.2, max_ratio=1.2, rounds=7
)
