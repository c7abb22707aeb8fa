"""The job that takes up the payslips of payment runs that are being opened."""

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.payroll.payment_runs.populate import take_up_waiting
from gaji.tasks.client_work import client_transaction, clients_that


async def open_what_waits(pool: Pool, vault: Vault) -> None:
    """Go on with whatever is being opened and has been left."""
    for client_id in await clients_that(pool, "SELECT clients_opening_runs()"):
        await open_all(pool, vault, client_id)


async def open_all(pool: Pool, vault: Vault, client_id: int) -> None:
    """Take up the payslips of all runs of a client that are being opened."""
    await take_up_waiting(lambda: client_transaction(pool, vault, client_id), client_id)
