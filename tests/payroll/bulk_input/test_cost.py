"""The rows that bulk changes read for each employee do not grow with the client, with or without statistics."""

import asyncio
from collections import Counter
from collections.abc import Mapping

import pytest

import gaji.wiring  # noqa: F401 - subscribes the handlers of events
from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, open_pool, pooled_connection
from gaji.identity import service as accounts
from gaji.payroll.bulk_input import bulk_employees
from tests.support.company import attributes

SMALL, LARGE = 100, 1500
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
READS = "SELECT relname::text, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_user_tables"


@pytest.mark.parametrize("plans", ["auto", "force_generic_plan"])
@pytest.mark.parametrize("are_analyzed", [False, True])
def test_bulk_creates_and_updates_read_each_employee_a_few_times_in_clients_of_any_size(
    settings: Settings, plans: str, are_analyzed: bool
) -> None:
    with open_installation(settings) as installed:
        small, large = asyncio.run(_measure(installed, plans, are_analyzed))
    assert large["employees"] > 0
    grown = {table: (small[table], rows) for table, rows in large.items() if rows > 2 * small[table] + 1}
    assert not grown, f"rows read for each employee, in clients of {SMALL} and {LARGE} employees"


async def _measure(installed: Installation, plans: str, are_analyzed: bool) -> list[Mapping[str, float]]:
    """Return the rows read for each employee by table, in two clients that no ANALYZE has seen."""
    email = f"{plans}-{are_analyzed}@example.com"
    await accounts.create_account(installed.database, "Kopi", email, "correct horse battery")
    arguments = installed.database.as_application("test")
    arguments["server_settings"] = {**arguments["server_settings"], "plan_cache_mode": plans}
    pool = await open_pool(arguments, size=1)
    try:
        if are_analyzed:
            for _ in range(5):
                await _create_and_update(installed, pool, email, 20)
            async with installed.database.owner_connection() as connection:
                await connection.execute("ANALYZE")
        return [await _create_and_update(installed, pool, email, size) for size in (SMALL, LARGE)]
    finally:
        await pool.close()


async def _create_and_update(installed: Installation, pool: Pool, email: str, size: int) -> Mapping[str, float]:
    """Create and update all employees of a new client. Return the rows read for each of them, by table."""
    tenant = Tenant(pool, installed.vault, await accounts.find_user(installed.database, email))
    client_id, _ = await clients.create_client(tenant, {"name": f"A client of {size}"})
    # A new client changes what the user may see.
    tenant = Tenant(pool, installed.vault, await accounts.find_user(installed.database, email))
    wave_id, _ = await waves.create_wave(tenant, client_id, MONTHLY)
    employees = [attributes(wave_id=wave_id, appointment_date="2026-01-01") for _ in range(size)]
    before = await _load_counts(pool)
    created = await bulk_employees.create_employees(tenant, client_id, {"employees": employees})
    updates = [{"id": employee.id, "job_title": "Driver"} for employee in created]
    updated = await bulk_employees.update_employees(tenant, client_id, {"employees": updates})
    assert not any(result.errors for result in (*created, *updated))
    after = await _load_counts(pool)
    return Counter({table: (rows - before[table]) / size for table, rows in after.items()})


async def _load_counts(pool: Pool) -> Mapping[str, int]:
    async with pooled_connection(pool) as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        return Counter({row["relname"]: row["rows"] for row in await connection.fetch(READS)})
