"""Tables do not grow with the number of calculations: autovacuum is triggered, and space is used again."""

import asyncio
from collections.abc import Mapping

from bench.payment_runs import create_payroll
from bench.table_growth import MONTHS, load_sizes, pay_month
from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity import service as accounts
from tests.payroll.payment_runs.test_cost import flush_counts

EMPLOYEES = 100
MIN_BYTES = 512 * 1024
"""Smaller tables are not compared: some pages more or less are a large part of them."""
MAX_GROWTH = 2.2
"""From month 3 to month 10. Without vacuum it is more than 3."""

# The condition by which autovacuum chooses tables. A test cannot wait for autovacuum itself: it looks once a minute.
TO_VACUUM = """
    SELECT s.relname::text AS name FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid,
        LATERAL (SELECT coalesce((SELECT option_value FROM pg_options_to_table(c.reloptions)
                                  WHERE option_name = 'autovacuum_vacuum_' || setting),
                                 current_setting('autovacuum_vacuum_' || setting))::float8 AS value, setting
                 FROM unnest(ARRAY['threshold', 'scale_factor']) AS setting) o
    WHERE s.schemaname = 'gaji'
    GROUP BY s.relname, s.n_dead_tup, c.reltuples
    HAVING s.n_dead_tup > max(value) FILTER (WHERE setting = 'threshold')
                          + max(value) FILTER (WHERE setting = 'scale_factor') * greatest(c.reltuples, 0)
"""


Sizes = Mapping[str, tuple[int, int]]
"""The bytes with indexes, and the rows, by table."""


def test_unused_space_does_not_grow_from_pay_run_to_pay_run(settings: Settings) -> None:
    with open_installation(settings) as installed:
        months, compact = asyncio.run(_pay_months(installed))
    large = [name for name, (total_bytes, _) in months[-1].items() if total_bytes > MIN_BYTES]
    assert "payslips" in large
    unused = {
        name: [_unused_bytes(months[month - 1].get(name, (0, 0)), compact[name]) for month in (3, MONTHS)]
        for name in large
    }
    assert all(last <= max(MAX_GROWTH * third, MIN_BYTES) for third, last in unused.values()), unused


def _unused_bytes(size: tuple[int, int], compact_size: tuple[int, int]) -> float:
    """Return how much larger a table is than its rows would be without dead ones."""
    (total_bytes, rows), (compact_bytes, compact_rows) = size, compact_size
    return total_bytes - compact_bytes * rows / max(compact_rows, 1)


async def _pay_months(installed: Installation) -> tuple[list[Sizes], Sizes]:
    """Pay ten months, and vacuum after each what autovacuum would. Return the sizes, and those without unused space."""
    await accounts.create_account(installed.database, "Kopi", "growth@example.com", "correct horse battery")
    pool = await open_pool(installed.database.as_application("test"), size=4)
    tenant = Tenant(pool, installed.vault, await accounts.find_user(installed.database, "growth@example.com"))
    months = []
    try:
        payroll = await create_payroll(installed, pool, tenant, EMPLOYEES)
        for month in range(1, MONTHS + 1):
            await pay_month(payroll, month)
            await flush_counts(pool)
            async with installed.database.owner_connection() as owner:
                for row in await owner.fetch(TO_VACUUM):
                    await owner.execute(f"VACUUM ANALYZE {row['name']}")
            months.append(await _load_sizes(installed))
    finally:
        await pool.close()
    async with installed.database.owner_connection() as owner:
        for name in months[-1]:
            await owner.execute(f"VACUUM FULL {name}")
    return months, await _load_sizes(installed)


async def _load_sizes(installed: Installation) -> Sizes:
    async with installed.database.maintenance("test") as connection:
        return {
            name: (size.total_bytes, await connection.fetchval(f"SELECT count(*) FROM {name}"))
            for name, size in (await load_sizes(connection)).items()
            if size.total_bytes > MIN_BYTES // 4
        }
