"""The job that makes reports, and the sweeps that make what was left and forget what is old."""

from gaji.db.pool import Pool
from gaji.db.tenancy import acquire
from gaji.jobs.client_work import client_transaction
from gaji.reports.running import make_waiting
from gaji.vault import Vault


async def make_what_waits(pool: Pool, vault: Vault) -> None:
    """Make whatever reports wait and have been left."""
    connection = await acquire(pool)
    try:
        rows = await connection.fetch("SELECT clients_with_reports()")
    finally:
        pool.release(connection)
    for (client_id,) in rows:
        await make_all(pool, vault, client_id)


async def make_all(pool: Pool, vault: Vault, client_id: int) -> None:
    """Make the reports of a client that wait."""
    await make_waiting(
        lambda: client_transaction(pool, vault, client_id, "repeatable_read"),
        lambda: client_transaction(pool, vault, client_id),
        client_id,
    )


async def forget_old(pool: Pool, vault: Vault) -> None:
    """Forget the reports that were kept long enough."""
    connection = await acquire(pool)
    try:
        await connection.execute("SELECT forget_old_reports()")
    finally:
        pool.release(connection)
