"""The enforcement of retention periods: by a task every night, and by `gaji retention`."""

from dataclasses import dataclass

from gaji.core.errors import Conflict
from gaji.core.vault import Vault
from gaji.db.installation import Installation
from gaji.db.pool import Pool
from gaji.db.tenancy import open_pool
from gaji.people.employees.access import lock_employees
from gaji.periods.locks import lock_drafts_shared
from gaji.privacy.erasure.service import erase_locked
from gaji.privacy.retention import service
from gaji.privacy.retention.service import DueRecords
from gaji.tasks.client_transactions import client_transaction, list_clients


@dataclass(frozen=True)
class ClientRetention:
    """What has reached the end of its period at one client."""

    client_id: int
    is_enforced: bool
    due: list[DueRecords]


async def enforce_retention(pool: Pool, vault: Vault) -> None:
    """Erase and delete what has reached the end of its period, at the clients whose owners switched this on."""
    for client_id in await list_clients(pool, "SELECT clients_with_retention()"):
        await _enforce(pool, vault, client_id)


async def find_due(installation: Installation) -> list[ClientRetention]:
    """Return what has reached the end of its period, at all clients, and change nothing."""
    async with installation.database.maintenance("gaji retention") as connection:
        client_ids = [row["id"] for row in await connection.fetch("SELECT id FROM clients ORDER BY id")]
    pool = await open_pool(installation.database.as_application("gaji retention"), 1)
    try:
        return [await _find_due(pool, installation.vault, client_id) for client_id in client_ids]
    finally:
        await pool.close()


async def enforce_now(installation: Installation) -> None:
    """Do what the task does."""
    pool = await open_pool(installation.database.as_application("gaji retention"), 1)
    try:
        await enforce_retention(pool, installation.vault)
    finally:
        await pool.close()


async def _find_due(pool: Pool, vault: Vault, client_id: int) -> ClientRetention:
    async with client_transaction(pool, vault, client_id) as tx:
        settings = await service.load_settings(tx, client_id)
        return ClientRetention(client_id, settings.enabled, await service.list_due(tx, client_id, settings.periods))


async def _enforce(pool: Pool, vault: Vault, client_id: int) -> None:
    async with client_transaction(pool, vault, client_id) as tx:
        settings = await service.load_settings(tx, client_id)
        if not settings.enabled:
            return
        await service.delete_certificates(tx, client_id, settings.periods)
        leavers = await service.load_erasable(tx, client_id, settings.periods)
    for employee_id in leavers:
        await _erase(pool, vault, client_id, employee_id)
    async with client_transaction(pool, vault, client_id) as tx:
        await service.record_enforcement(tx, client_id)


async def _erase(pool: Pool, vault: Vault, client_id: int, employee_id: int) -> None:
    """Erase an employee, in a transaction of its own. One who cannot be erased now is left for the next night."""
    try:
        async with client_transaction(pool, vault, client_id) as tx:
            settings = await service.load_settings(tx, client_id)
            await lock_drafts_shared(tx, client_id)
            if settings.enabled and await lock_employees(tx, client_id, [employee_id]):
                await erase_locked(tx, client_id, employee_id, settings.periods)
    except Conflict:
        return
