"""`python -m bench.table_growth [EMPLOYEES]`: how tables grow over ten pay runs, with autovacuum as it is set.

Each month a run is opened, calculated twice more, finalised and released, which leaves dead rows. Autovacuum lets
PostgreSQL use their space again, so the size for each payslip must not grow from month to month.
"""

import sys
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass

import asyncpg

from bench.payment_runs import BenchPayroll, create_payrolls
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.payroll.payment_runs.service import calculate_run, release_run
from gaji.payroll.payment_runs.tasks import populate_client
from gaji.payroll.payslips.tasks import calculate_dirty

MONTHS = 10
RECALCULATIONS = 2
PRINTED_TABLES = 4

SIZES = """
    SELECT c.relname::text AS name, pg_total_relation_size(c.oid) AS total_bytes, s.n_dead_tup AS dead_rows,
           s.autovacuum_count AS autovacuums
    FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relnamespace = 'gaji'::regnamespace
"""


@dataclass(frozen=True)
class TableSize:
    """The size of a table with its indexes, and what autovacuum did."""

    total_bytes: int
    dead_rows: int
    autovacuums: int


async def pay_month(payroll: BenchPayroll, month: int) -> None:
    """Pay a month of 2026: open a run, calculate it several times, finalise and release it."""
    body = {"wave_id": payroll.wave_id, "period_end_date": f"2026-{month:02}-{monthrange(2026, month)[1]}"}
    run_id, _ = await open_run(payroll.tenant, payroll.client_id, body)
    await populate_client(payroll.pool, payroll.installed.vault, payroll.client_id)
    for _ in range(RECALCULATIONS):
        await calculate_run(payroll.tenant, run_id)
        await calculate_dirty(payroll.pool, payroll.installed.vault, payroll.client_id)
    await finalise_run(payroll.tenant, run_id)
    await release_run(payroll.tenant, run_id)
    await calculate_dirty(payroll.pool, payroll.installed.vault, payroll.client_id)


async def load_sizes(connection: asyncpg.Connection) -> Mapping[str, TableSize]:
    """Return the sizes of all tables by name."""
    return {
        row["name"]: TableSize(row["total_bytes"], row["dead_rows"], row["autovacuums"])
        for row in await connection.fetch(SIZES)
    }


def main(employees: int) -> None:
    """Pay ten months. Print the sizes of the large tables after each, and at the end without unused space."""
    with create_payrolls(employees) as (runner, [payroll]):
        for month in range(1, MONTHS + 1):
            runner.run(pay_month(payroll, month))
            _print_sizes(f"month {month}", runner.run(_sizes(payroll)), employees * (month + 1))
        _print_sizes("without unused space", runner.run(_compact_sizes(payroll)), employees * (MONTHS + 1))


def _print_sizes(title: str, sizes: Mapping[str, TableSize], payslips: int) -> None:
    print(title)
    for name, size in sorted(sizes.items(), key=lambda item: -item[1].total_bytes)[:PRINTED_TABLES]:
        print(
            f"  {name:24} {size.total_bytes / 1024**2:8.1f} MiB {size.total_bytes // payslips:6} bytes for each payslip"
            f" {size.dead_rows:8} dead rows {size.autovacuums:3} autovacuums"
        )


async def _sizes(payroll: BenchPayroll) -> Mapping[str, TableSize]:
    async with payroll.installed.database.owner_connection() as connection:
        return await load_sizes(connection)


async def _compact_sizes(payroll: BenchPayroll) -> Mapping[str, TableSize]:
    async with payroll.installed.database.owner_connection() as connection:
        await connection.execute("VACUUM FULL")
        return await load_sizes(connection)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
