"""What a pay run costs for each employee: as much in a large client as in a small one, whatever PostgreSQL expects."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import pytest

import gaji.wiring  # noqa: F401 - subscribes the handlers of events
from bench.payment_runs import BenchPayroll, create_payroll
from gaji.audit.queries import load_employee_entries, load_records
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity import service as accounts
from gaji.payroll.payment_runs import populate
from gaji.payroll.payment_runs.finalise import finalise_run, unfinalise_run
from gaji.payroll.payment_runs.models import lock_run
from gaji.payroll.payment_runs.reopen import load_effects
from gaji.payroll.payslips.tasks import calculate_dirty

CHUNK_SIZE = 100
Pay = Callable[[BenchPayroll], Awaitable[None]]
SMALL, LARGE = 2 * CHUNK_SIZE, 10 * CHUNK_SIZE
READS = "SELECT relname::text, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_user_tables"


@pytest.mark.parametrize("plans", ["force_custom_plan", "force_generic_plan"])
def test_a_run_reads_each_employee_once_in_clients_of_any_size(
    settings: Settings, plans: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(populate, "MAX_CHUNK_SIZE", CHUNK_SIZE)
    require_linear(settings, plans, open_only)


# PostgreSQL checks foreign keys with stored plans, so that its choice of plans is the one to test.
@pytest.mark.parametrize("plans", ["auto", "force_generic_plan"])
def test_finalising_and_reopening_read_each_employee_a_few_times_in_clients_of_any_size(
    settings: Settings, plans: str
) -> None:
    require_linear(settings, plans, finalise_and_reopen)


def require_linear(settings: Settings, plans: str, pay: Pay) -> None:
    """Check that the rows read for each employee do not grow with the client."""
    with open_installation(settings) as installed:
        large, small = asyncio.run(_measure(installed, plans, pay))
    assert large["payslips"] > 0
    grown = {table: (small[table], rows) for table, rows in large.items() if rows > 2 * small[table] + 1}
    assert not grown, f"rows read for each employee, in clients of {SMALL} and {LARGE} employees"


async def open_only(payroll: BenchPayroll) -> None:
    """Open a run and calculate it."""
    await payroll.pay()


async def finalise_and_reopen(payroll: BenchPayroll) -> None:
    """Finalise a run, reopen it and finalise it again. Then read what the page with an employee's history reads."""
    await payroll.pay()
    async with payroll.tenant.transaction() as tx:
        run_id = await tx.fetchval("SELECT id FROM payment_runs WHERE client_id = $1", payroll.client_id)
    await finalise_run(payroll.tenant, run_id)
    async with payroll.tenant.transaction() as tx:
        await load_effects(tx, (await lock_run(tx, run_id, lock_drafts=False)).key)
    await unfinalise_run(payroll.tenant, run_id)
    await calculate_dirty(payroll.pool, payroll.installed.vault, payroll.client_id)
    await finalise_run(payroll.tenant, run_id)
    async with payroll.tenant.transaction() as tx:
        employee_id = await tx.fetchval("SELECT min(id) FROM employees WHERE client_id = $1", payroll.client_id)
        entries = await load_employee_entries(tx, payroll.client_id, employee_id, 100)
        await load_records(tx, payroll.client_id, entries)


async def _measure(installed: Installation, plans: str, pay: Pay) -> list[Mapping[str, float]]:
    """Return the rows read for each employee by table, in two clients that were created since the last ANALYZE."""
    email = f"{plans}-{pay.__name__}@example.com"
    await accounts.create_account(installed.database, "Kopi", email, "correct horse battery")
    arguments = installed.database.as_application("test")
    arguments["server_settings"] = {**arguments["server_settings"], "plan_cache_mode": plans}
    pool = await open_pool(arguments, size=4)
    tenant = Tenant(pool, installed.vault, await accounts.find_user(installed.database, email))
    try:
        for _ in range(5):
            others = await create_payroll(installed, pool, tenant, 20)
        await others.vacuum_all()
        return [await _rows_read(await create_payroll(installed, pool, tenant, size), pay) for size in (LARGE, SMALL)]
    finally:
        await pool.close()


async def _rows_read(payroll: BenchPayroll, pay: Pay) -> Mapping[str, float]:
    before = await _load_counts(payroll)
    await pay(payroll)
    await flush_counts(payroll.pool)
    after = await _load_counts(payroll)
    return Counter({table: (rows - before[table]) / payroll.employees for table, rows in after.items()})


async def _load_counts(payroll: BenchPayroll) -> Mapping[str, int]:
    async with payroll.installed.database.owner_connection() as connection:
        return Counter({row["relname"]: row["rows"] for row in await connection.fetch(READS)})


async def flush_counts(pool: Pool) -> None:
    """Let all sessions of the pool report what they have counted."""
    connections = []
    while connection := pool.try_acquire():
        connections.append(connection)
        await connection.execute("SELECT pg_stat_force_next_flush()")
    for connection in connections:
        pool.release(connection)
