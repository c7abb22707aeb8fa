"""Opening, calculating and storing a payment run, against PostgreSQL inserting the same finished payslips.

Ours is what the request and the job do, one after the other, in this process: from the question whether the run may
be opened to the commit of the last payslip. The bare side inserts the rows that came of it, from a temporary table into
the same table with the same constraints and policies, and commits. The drafts wait for calculation each time, and the
table is vacuumed before each side, so that neither pays for what the other left.
"""

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import servers
from bench.bars import Bar, Sample, Sides
from bench.company import PERIOD, populate
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.facts import waves as wave_facts
from gaji.core.gc_tuning import collect_rarely
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.tasks import open_all

SIZES = {"BENCH_SMALL": 3_000, "BENCH_FULL": 100_000}
EMPLOYEES = next((size for name, size in SIZES.items() if os.environ.get(name)), 30_000)
TENTH = EMPLOYEES // 10
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(PERIOD[1])}
RESET = "UPDATE payslips SET payment_run_id = NULL, dirty = true, lines = '{}', inputs = NULL WHERE client_id = $1"
# The same rows but for where they stand: only one regular payslip of an employee can be of a period.
FINISHED = "CREATE TEMPORARY TABLE finished AS SELECT * FROM payslips WHERE client_id = {client_id:d}"
ELSEWHERE = """UPDATE finished SET period_offset = period_offset + 1,
    id = nextval(pg_get_serial_sequence('payslips', 'id'))"""
INSERT = "INSERT INTO payslips OVERRIDING SYSTEM VALUE SELECT * FROM finished"
REMOVE = "DELETE FROM payslips WHERE client_id = $1 AND period_offset > $2"
MOST_MEMORY_MIB = 1024


@dataclass
class Payroll:
    """A client whose drafts are to be paid."""

    installed: Installation
    pool: Pool
    tenant: Tenant
    client_id: int
    wave_id: int
    offset: int
    employees: int

    async def run(self) -> Sample:
        """Open a run of all its drafts, and have them calculated and stored."""
        async with self.installed.database.maintenance() as connection:
            await connection.execute(RESET, self.client_id)
            await connection.execute("DELETE FROM payment_runs WHERE client_id = $1", self.client_id)
        await self._vacuum()
        started = time.perf_counter()
        await open_run(self.tenant, self.client_id, {"wave_id": self.wave_id, "period_end_date": str(PERIOD[1])})
        await open_all(self.pool, self.installed.vault, self.client_id)
        sample = Sample(_milliseconds(started), {"memory_mib": _memory_mib()})
        await self._check()
        return sample

    async def insert(self) -> Sample:
        """Insert the payslips that came of it."""
        await self._vacuum()
        async with self.tenant.transaction() as tx:
            await tx.execute(FINISHED.format(client_id=self.client_id))
            await tx.execute(ELSEWHERE)
            await tx.execute("ANALYZE finished")
            connection = tx.connection
        started = time.perf_counter()
        await connection.execute(f"BEGIN; {self.tenant.entrance()}")
        await connection.execute(INSERT)
        await connection.execute("COMMIT")
        sample = Sample(_milliseconds(started))
        await connection.execute("DROP TABLE finished")
        async with self.installed.database.maintenance() as owner:
            await owner.execute(REMOVE, self.client_id, self.offset)
        return sample

    async def _vacuum(self) -> None:
        async with self.installed.database.owner_connection() as connection:
            await connection.execute("VACUUM ANALYZE payslips")

    async def _check(self) -> None:
        async with self.tenant.transaction() as tx:
            query = "SELECT count(*) FROM payslips WHERE client_id = $1 AND payment_run_id IS NOT NULL AND NOT dirty"
            done = await tx.fetchval(query, self.client_id)
        if done != self.employees:
            raise RuntimeError(f"{done} of {self.employees} payslips are in the run and calculated")


@contextmanager
def _payrolls(*sizes: int) -> Iterator[tuple[asyncio.Runner, list[Payroll]]]:
    with servers.installation(1) as (installed, demo), asyncio.Runner() as runner:
        collect_rarely()  # as a worker does
        pool = runner.run(open_pool(installed.database.as_application("bench")))
        tenant = Tenant(pool, installed.vault, runner.run(find_user(installed.database, demo.email)))
        try:
            yield runner, [runner.run(_payroll(installed, pool, tenant, size)) for size in sizes]
        finally:
            runner.run(pool.close())


async def _payroll(installed: Installation, pool: Pool, tenant: Tenant, employees: int) -> Payroll:
    client_id, _ = await clients.create_client(tenant, {"name": f"{employees:,} employees"})
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    async with tenant.transaction() as tx:
        offset = (await wave_facts(tx, client_id))[wave_id].first_offset
    async with installed.database.maintenance() as connection:
        await populate(connection, client_id, wave_id, offset, employees)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return Payroll(installed, pool, tenant, client_id, wave_id, offset, employees)


@contextmanager
def _against_inserting() -> Iterator[Sides]:
    with _payrolls(EMPLOYEES) as (runner, [payroll]):
        runner.run(payroll.run())  # so that there is something to insert
        yield Sides(ours=lambda: runner.run(payroll.run()), ceiling=lambda: runner.run(payroll.insert()))


@contextmanager
def _against_a_tenth() -> Iterator[Sides]:
    with _payrolls(EMPLOYEES, TENTH) as (runner, [whole, tenth]):
        for payroll in (whole, tenth):
            runner.run(payroll.run())  # so that every connection has seen every statement
        yield Sides(ours=lambda: _each(runner, whole), ceiling=lambda: _each(runner, tenth))


def _each(runner: asyncio.Runner, payroll: Payroll) -> Sample:
    """Microseconds for each employee."""
    sample = runner.run(payroll.run())
    return Sample(sample.value * 1000 / payroll.employees, sample.notes)


def _milliseconds(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _memory_mib() -> float:
    """The most that this process has ever used."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if most > MOST_MEMORY_MIB:
        raise RuntimeError(f"the worker used {most:.0f} MiB, more than {MOST_MEMORY_MIB}")
    return most


BAR = Bar(name=f"pay run of {EMPLOYEES:,}", unit="ms", sides=_against_inserting, at_most=3.0, rounds=5)
EACH = Bar(
    name=f"pay run, to {TENTH:,}", unit="us each", sides=_against_a_tenth, at_least=1 / 1.2, at_most=1.2, rounds=7
)
