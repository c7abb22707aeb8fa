"""What can be asked about clients."""

from collections.abc import Mapping
from typing import Any

from gaji.accounts.service import require_administrator, require_writer
from gaji.attributes import Reading
from gaji.clients import store
from gaji.clients.rules import CLIENT
from gaji.db.tenancy import Tenant, Transaction
from gaji.elements import Page
from gaji.errors import NotFound
from gaji.leave.types.founding import found_types


async def list_clients(tenant: Tenant, page: Page | None) -> tuple[list[str], int]:
    """The clients of the caller as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        return await store.elements(tx, page)


async def read_client(tenant: Tenant, client_id: int) -> str:
    """One client as JSON."""
    async with tenant.reading() as tx:
        found = await store.element(tx, client_id)
    return found or _missing(client_id)


async def create_client(tenant: Tenant, body: Mapping[str, Any]) -> tuple[int, Reading]:
    """Make a client in the caller's account; its administrators own it."""
    async with tenant.transaction() as tx:
        require_administrator(tx)
        reading = CLIENT.read_new(body)
        client_id = await store.insert(tx, reading.record)
        await found_types(tx, client_id)
        return client_id, reading


async def update_client(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> Reading:
    """Change what the body names of a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        current = await store.record_for_change(tx, client_id) or _missing(client_id)
        reading = CLIENT.read_change(body, current)
        await store.update(tx, client_id, reading.record, current)
        return reading


async def require_client(tx: Transaction, client_id: int) -> None:
    """Refuse when there is no such client for this caller."""
    if not await store.exists(tx, client_id):
        _missing(client_id)


async def client_features(tx: Transaction, client_id: int) -> dict[str, bool]:
    """What is switched on for a client that the caller may see."""
    return await store.features(tx, client_id)


async def has_manual_numbers(tx: Transaction, client_id: int) -> bool:
    """Whether the people of a client give its employees their numbers."""
    return await store.employee_number_mode(tx, client_id) == "EMPLOYEE_NUMBER_MANUAL"


def _missing(client_id: int) -> Any:
    raise NotFound(f"There is no client {client_id}")
