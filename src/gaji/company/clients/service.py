"""What can be asked about clients."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.company.clients import repository
from gaji.company.clients.schemas import CLIENT
from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.schemas import OWNER
from gaji.identity.service import WRITERS, require_administrator, require_writer
from gaji.company.clients.events import ClientCreated


@dataclass(frozen=True)
class ClientMembership:
    """A client, and what the caller is to it."""

    id: int
    name: str
    role: str

    @property
    def can_write(self) -> bool:
        """Whether the caller may change it."""
        return self.role in WRITERS

    @property
    def is_owner(self) -> bool:
        """Whether the caller gives and takes roles for it."""
        return self.role == OWNER


async def list_with_roles(tenant: Tenant) -> list[ClientMembership]:
    """The clients of the caller by name, each with the caller's role."""
    async with tenant.reading() as tx:
        return [ClientMembership(*row) for row in await repository.with_roles(tx)]


async def find_with_role(tenant: Tenant, client_id: int) -> ClientMembership | None:
    """One client of the caller, with the caller's role."""
    async with tenant.reading() as tx:
        rows = await repository.with_roles(tx, client_id)
    return ClientMembership(*rows[0]) if rows else None


async def list_clients(tenant: Tenant, page: Page | None) -> tuple[list[str], int]:
    """The clients of the caller as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        return await repository.elements(tx, page)


async def read_client(tenant: Tenant, client_id: int) -> str:
    """One client as JSON."""
    async with tenant.reading() as tx:
        found = await repository.element(tx, client_id)
    return found or _missing(client_id)


async def create_client(tenant: Tenant, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Make a client in the caller's account; its administrators own it."""
    async with tenant.transaction() as tx:
        require_administrator(tx)
        reading = CLIENT.parse_create(body)
        client_id = await repository.insert(tx, reading.record)
        tx.emit(ClientCreated(client_id))
        return client_id, reading


async def update_client(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        current = await repository.record_for_change(tx, client_id) or _missing(client_id)
        reading = CLIENT.parse_update(body, current)
        await repository.update(tx, client_id, reading.record, current)
        return reading


async def require_client(tx: Transaction, client_id: int) -> None:
    """Refuse when there is no such client for this caller."""
    if not await repository.exists(tx, client_id):
        _missing(client_id)


async def load_client_features(tx: Transaction, client_id: int) -> dict[str, bool]:
    """What is switched on for a client that the caller may see."""
    return await repository.features(tx, client_id)


async def has_manual_numbers(tx: Transaction, client_id: int) -> bool:
    """Whether the people of a client give its employees their numbers."""
    return await repository.employee_number_mode(tx, client_id) == "EMPLOYEE_NUMBER_MANUAL"


def _missing(client_id: int) -> Any:
    raise NotFound(f"There is no client {client_id}")
