"""The SQL of payment runs."""

import asyncpg

from gaji.db.tenancy import Transaction


async def facts(tx: Transaction, payment_run_id: int) -> asyncpg.Record | None:
    """Client, wave, and whether finalised and posted, of a run that the caller may see."""
    return await tx.fetchrow(
        "SELECT client_id, wave_id, finalised, posted_to_accounting_system FROM payment_runs WHERE id = $1",
        payment_run_id,
    )


async def open_runs(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Wave, period offset and id of the regular runs that are not finalised."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT wave_id, period_offset, id FROM payment_runs WHERE client_id = $1 AND NOT special AND NOT finalised",
        client_id,
    )
    return rows
