"""Open a correction run in which everyone has a difference, compared with an ordinary pay run of the same size.

Both sides run the request and the task in this process, from the check whether the run may be opened to the commit of
the last payslip. The corrected run is the only finalised one, and everyone's salary changed from its first day on.
A second bar compares the time per employee with that of a tenth of the employees.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench import payment_runs
from bench.bars import PerformanceBar, Sample, Sides
from bench.company import PERIOD
from bench.payment_runs import BenchPayroll, create_payrolls, elapsed_ms
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.tasks import populate_client

EMPLOYEES = 2_000 if os.environ.get("BENCH_SMALL") else 10_000
TENTH = EMPLOYEES // 10
CHANGE_SALARIES = """UPDATE calculations SET history = jsonb_build_object($2::text, jsonb_build_object('inputs',
    jsonb_build_object('fixed_amount', ((inputs ->> 'fixed_amount')::numeric + 100)::text)))
    WHERE client_id = $1 AND type = 'basic_salary'"""
CORRECTED = """SELECT count(*) FROM payslips
    WHERE payment_run_id = $1 AND NOT dirty AND NOT withdrawn AND nett_pay > 0"""
REMOVE = "DELETE FROM payslips WHERE client_id = $1 AND corrects IS NOT NULL"
REMOVE_RUNS = "DELETE FROM payment_runs WHERE client_id = $1 AND corrects IS NOT NULL"


async def _finalise(payroll: BenchPayroll) -> int:
    """Finalise the first run, change everyone's salary from its first day on, and return its ID."""
    await payroll.measure_run()
    async with payroll.tenant.transaction() as tx:
        run_id: int = await tx.fetchval("SELECT max(id) FROM payment_runs WHERE client_id = $1", payroll.client_id)
    await finalise_run(payroll.tenant, run_id)
    async with payroll.installed.database.maintenance() as connection:
        await connection.execute(CHANGE_SALARIES, payroll.client_id, str(PERIOD[0]))
    return run_id


async def _measure_correction(payroll: BenchPayroll, run_id: int) -> Sample:
    async with payroll.installed.database.maintenance() as connection:
        await connection.execute(REMOVE, payroll.client_id)
        await connection.execute(REMOVE_RUNS, payroll.client_id)
    await payroll.vacuum()
    started = time.perf_counter()
    correction_id, _ = await open_run(payroll.tenant, payroll.client_id, {"corrects": run_id})
    await populate_client(payroll.pool, payroll.installed.vault, payroll.client_id)
    sample = Sample(elapsed_ms(started), {"memory_mib": payment_runs.peak_memory_mib()})
    await _check(payroll, correction_id)
    return sample


async def _check(payroll: BenchPayroll, correction_id: int) -> None:
    async with payroll.tenant.transaction() as tx:
        corrected = await tx.fetchval(CORRECTED, correction_id)
    if corrected != payroll.employees:
        raise RuntimeError(f"{corrected} of {payroll.employees} employees are corrected")


@contextmanager
def _compare_with_ordinary() -> Iterator[Sides]:
    with create_payrolls(EMPLOYEES, EMPLOYEES) as (runner, [ordinary, corrected]):
        run_id = runner.run(_finalise(corrected))
        for measure in (ordinary.measure_run(), _measure_correction(corrected, run_id)):
            runner.run(measure)  # prepares every statement on every connection
        yield Sides(ours=lambda: _run(runner, corrected, run_id), baseline=lambda: runner.run(ordinary.measure_run()))


def _run(runner: asyncio.Runner, payroll: BenchPayroll, run_id: int) -> Sample:
    return runner.run(_measure_correction(payroll, run_id))


@contextmanager
def _compare_with_tenth() -> Iterator[Sides]:
    with create_payrolls(EMPLOYEES, TENTH) as (runner, payrolls):
        run_ids = [runner.run(_finalise(payroll)) for payroll in payrolls]
        for payroll, run_id in zip(payrolls, run_ids, strict=True):
            runner.run(_measure_correction(payroll, run_id))
        yield Sides(
            ours=lambda: _measure_per_employee(runner, payrolls[0], run_ids[0]),
            baseline=lambda: _measure_per_employee(runner, payrolls[1], run_ids[1]),
        )


def _measure_per_employee(runner: asyncio.Runner, payroll: BenchPayroll, run_id: int) -> Sample:
    """Return the microseconds per employee."""
    sample = _run(runner, payroll, run_id)
    return Sample(sample.value * 1000 / payroll.employees, sample.notes)


BAR = PerformanceBar(
    name=f"correction of {EMPLOYEES:,}", unit="ms", sides=_compare_with_ordinary, max_ratio=4.0, rounds=5
)
PER_EMPLOYEE = PerformanceBar(
    name=f"correction, to {TENTH:,}", unit="us each", sides=_compare_with_tenth, max_ratio=1.2, rounds=5
)
