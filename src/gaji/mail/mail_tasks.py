"""The tasks of workers that concern mail."""

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.mail import repository
from gaji.mail.config import current_mail


async def send_queued(pool: Pool, vault: Vault, client_id: int = 0) -> None:
    """Send the messages that are due, if mail is set up. One task does so for all clients."""
    config = current_mail()
    if config is not None:
        # Processes that send no mail do not load the SMTP client.
        from gaji.mail.delivery import send_all

        await send_all(pool, vault, config)


async def forget_old(pool: Pool, vault: Vault) -> None:
    """Give up messages of workers that died, and delete those that were finished long ago."""
    async with pooled_connection(pool) as connection:
        await repository.forget_old(connection)
