"""The task that attaches payslips to payment runs that are being opened."""

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.payroll.payment_runs.populate import populate_opening_runs
from gaji.tasks.client_transactions import client_transaction, list_clients


async def populate_all_clients(pool: Pool, vault: Vault) -> None:
    """Continue with runs of all clients whose opening was interrupted."""
    for client_id in await list_clients(pool, "SELECT clients_opening_runs()"):
        await populate_client(pool, vault, client_id)


async def populate_client(pool: Pool, vault: Vault, client_id: int) -> None:
    """Attach payslips to all runs of a client that are being opened."""
    await populate_opening_runs(lambda: client_transaction(pool, vault, client_id), client_id)
