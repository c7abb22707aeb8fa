"""The job that calculates the drafts of a client which wait for it."""

from gaji.core.failpoints import failpoint
from gaji.core.law_loader import law
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.payroll.payslips.recalculation import calculate_some
from gaji.tasks.client_work import client_transaction, clients_that


async def calculate_what_waits(pool: Pool, vault: Vault) -> None:
    """Calculate whatever waits: what a job was lost for, and what was calculated with other figures of the law."""
    for client_id in await clients_that(pool, "SELECT clients_to_recalculate($1)", law().rules_version):
        await calculate_all(pool, vault, client_id)


async def calculate_all(pool: Pool, vault: Vault, client_id: int) -> None:
    """Calculate the drafts of a client that wait for it, until none is left that nobody else is at.

    Each chunk is a transaction of its own; two workers on one client take different ones.
    """
    done = 1
    while done:
        async with client_transaction(pool, vault, client_id) as tx:
            done = await calculate_some(tx, client_id)
            failpoint("recalculate.before_commit")
        failpoint("recalculate.after_commit")
