"""The job that imports employees, and the sweeps that import what was left and forget what is old."""

from gaji.db.pool import Pool
from gaji.db.tenancy import acquire
from gaji.jobs.client_work import client_transaction
from gaji.spreadsheets.running import import_waiting
from gaji.vault import Vault


async def import_what_waits(pool: Pool, vault: Vault) -> None:
    """Do whatever imports wait and have been left."""
    connection = await acquire(pool)
    try:
        rows = await connection.fetch("SELECT clients_with_employee_imports()")
    finally:
        pool.release(connection)
    for (client_id,) in rows:
        await import_all(pool, vault, client_id)


async def import_all(pool: Pool, vault: Vault, client_id: int) -> None:
    """Do the imports of a client that wait."""
    await import_waiting(lambda: client_transaction(pool, vault, client_id), client_id)


async def forget_old(pool: Pool, vault: Vault) -> None:
    """Forget the imports that were kept long enough."""
    connection = await acquire(pool)
    try:
        await connection.execute("SELECT forget_old_employee_imports()")
    finally:
        pool.release(connection)
