"""The job that puts the payslips of runs into files, and the sweeps that make what was left and forget what is old."""

from gaji.db.pool import Pool
from gaji.db.tenancy import acquire
from gaji.documents.payslips.bundles.making import make_waiting
from gaji.jobs.client_work import client_transaction
from gaji.vault import Vault


async def make_what_waits(pool: Pool, vault: Vault) -> None:
    """Make whatever files wait and have been left."""
    connection = await acquire(pool)
    try:
        rows = await connection.fetch("SELECT clients_with_payslip_bundles()")
    finally:
        pool.release(connection)
    for (client_id,) in rows:
        await make_all(pool, vault, client_id)


async def make_all(pool: Pool, vault: Vault, client_id: int) -> None:
    """Make the files of a client that wait."""
    await make_waiting(
        lambda: client_transaction(pool, vault, client_id, "repeatable_read"),
        lambda: client_transaction(pool, vault, client_id),
        client_id,
    )


async def forget_old(pool: Pool, vault: Vault) -> None:
    """Forget the files that were kept long enough."""
    connection = await acquire(pool)
    try:
        await connection.execute("SELECT forget_old_payslip_bundles()")
    finally:
        pool.release(connection)
