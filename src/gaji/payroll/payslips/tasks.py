"""The task that calculates the dirty drafts of a client."""

from gaji.core.failpoints import failpoint
from gaji.core.law_loader import current_law
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.payroll.payslips.recalculation import calculate_dirty_chunk
from gaji.tasks.client_transactions import client_transaction, list_clients


async def calculate_dirty_clients(pool: Pool, vault: Vault) -> None:
    """Calculate the dirty drafts of all clients: those of lost tasks, and those calculated with another law version."""
    for client_id in await list_clients(pool, "SELECT clients_to_recalculate($1)", current_law().rules_version):
        await calculate_dirty(pool, vault, client_id)


async def calculate_dirty(pool: Pool, vault: Vault, client_id: int) -> None:
    """Calculate the dirty drafts of a client until none is left that no other worker has claimed.

    Each chunk is a transaction of its own. Two workers on one client take different chunks.
    """
    count = 1
    while count:
        async with client_transaction(pool, vault, client_id) as tx:
            count = await calculate_dirty_chunk(tx, client_id)
            failpoint("recalculate.before_commit")
        failpoint("recalculate.after_commit")
