"""Background tasks for events of all clients."""

from gaji.core.law_loader import current_law
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection


async def announce_law_updates(pool: Pool, vault: Vault) -> None:
    """Record an event for every client if the statutory parameters are not those of the last time."""
    async with pooled_connection(pool) as connection:
        await connection.execute("SELECT announce_law($1)", current_law().rules_version)


async def delete_old_events(pool: Pool, vault: Vault) -> None:
    """Delete events whose retention has ended."""
    async with pooled_connection(pool) as connection:
        await connection.execute("SELECT forget_old_events()")
