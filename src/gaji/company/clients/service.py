"""Client use cases."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn

import asyncpg

from gaji.approvals.models import Approval
from gaji.company.clients import repository
from gaji.company.clients.account_changes import hold_account_change
from gaji.company.clients.events import ClientCreated, PaySettingsChanged
from gaji.company.clients.schemas import CLIENT, ClientInput, uen_notes
from gaji.core.bank_accounts import account_notes
from gaji.core.errors import FieldError, Forbidden, NotFound, note_texts
from gaji.core.external_references import external_id_rule
from gaji.core.validation import Rule, ValidatedInput, to_record
from gaji.db.external_references import external_id_race, is_external_id_taken
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import OWNER, WRITERS, require_administrator, require_writer


@dataclass(frozen=True)
class ClientMembership:
    """A client and the caller's role in it."""

    id: int
    name: str
    role: str
    logo_version: str | None = None
    """Changes with the logo. None without a logo."""
    uen: str | None = None
    has_repeated_name: bool = False
    """Whether another of the caller's clients has the same name."""

    @property
    def search_text(self) -> str:
        """What the client is found by: its name and UEN."""
        return f"{self.name} {self.uen or ''}"

    @property
    def can_write(self) -> bool:
        """Whether the caller can change the client's records."""
        return self.role in WRITERS

    @property
    def is_owner(self) -> bool:
        """Whether the caller can grant and revoke roles."""
        return self.role == OWNER


class SavedClient(NamedTuple):
    """The result of an update."""

    validated: ValidatedInput[ClientInput]
    approval: Approval | None
    """The pending approval of a new account, which is not saved yet."""


async def list_memberships(tenant: Tenant) -> list[ClientMembership]:
    """List the caller's clients by name, each with the caller's role."""
    async with tenant.read_only() as tx:
        rows = await repository.list_memberships(tx)
    counts = Counter(row["name"].casefold() for row in rows)
    return [replace(_membership(row), has_repeated_name=counts[row["name"].casefold()] > 1) for row in rows]


async def find_membership(tenant: Tenant, client_id: int) -> ClientMembership | None:
    """Return one of the caller's clients with the caller's role."""
    async with tenant.read_only() as tx:
        rows = await repository.list_memberships(tx, client_id)
    return _membership(rows[0]) if rows else None


async def list_clients(tenant: Tenant, page: ListPage | None, filters: Filters = NO_FILTERS) -> tuple[list[str], int]:
    """List the caller's clients as JSON, and their total number."""
    async with tenant.read_only() as tx:
        return await repository.list_elements(tx, page, filters)


async def list_changed_clients(tenant: Tenant, request: ChangeRequest) -> ChangedRecords:
    """List the caller's clients that changed after a position as JSON."""
    async with tenant.read_only() as tx:

        async def load_elements(ids: list[int]) -> list[str]:
            return (await repository.list_elements(tx, None, {"ids": ids}))[0]

        return await load_changed_records(tx, {}, "client", request, load_elements)


async def read_client(tenant: Tenant, client_id: int) -> str:
    """Return one client as JSON."""
    async with tenant.read_only() as tx:
        element = await repository.load_element(tx, client_id)
    return element or _raise_not_found(client_id)


async def create_client(tenant: Tenant, body: Mapping[str, Any]) -> tuple[int, ValidatedInput[ClientInput]]:
    """Create a client in the caller's account. The account's administrators become its owners."""
    with external_id_race():
        async with tenant.transaction() as tx:
            require_administrator(tx)
            validated = CLIENT.parse_create(body, await _external_id_rule(tx, body))
            client_id = await repository.insert(tx, validated.data)
            tx.emit(ClientCreated(client_id))
            validated.warnings.update(note_texts([*_account_notes(validated.data), *_uen_notes(validated.data)]))
            return client_id, validated


async def update_client(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> SavedClient:
    """Update the attributes of a client that the body supplies. A new account may have to be approved first."""
    with external_id_race():
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            current = await repository.lock_client(tx, client_id) or _raise_not_found(client_id)
            await tx.check_precondition()
            rule = await _external_id_rule(tx, body, client_id)
            validated = CLIENT.parse_update(body, to_record(current), rule)
            approval = await hold_account_change(tx, client_id, current, validated)
            await repository.update(tx, client_id, validated.data, current)
            if (validated.data.pay_settings, validated.data.features) != (current.pay_settings, current.features):
                tx.emit(PaySettingsChanged(client_id))
            if validated.data.bank_account != current.bank_account:
                validated.warnings.update(note_texts(_account_notes(validated.data)))
            earlier_notes = list(_uen_notes(current))
            validated.warnings.update(
                note_texts(note for note in _uen_notes(validated.data) if note not in earlier_notes)
            )
            return SavedClient(validated, approval)


def _account_notes(client: ClientInput) -> Iterator[FieldError]:
    return account_notes(to_record(client)["bank_account"])


def _uen_notes(client: ClientInput) -> Iterator[FieldError]:
    return uen_notes(client.uen, client.cpf_submission_number)


async def _external_id_rule(tx: Transaction, body: Mapping[str, Any], client_id: int = 0) -> Rule:
    external_id = CLIENT.unwrap(body).get("external_id")
    scope = {"account_id": tx.caller.account_id}
    return external_id_rule(await is_external_id_taken(tx, "clients", scope, external_id, client_id))


async def require_client(tx: Transaction, client_id: int) -> None:
    """Raise NotFound unless the caller can see this client."""
    if not await repository.exists(tx, client_id):
        _raise_not_found(client_id)


async def is_officer(tx: Transaction, client_id: int) -> bool:
    """Return whether the caller can see the whole client. Employees can read their own record only."""
    return await repository.exists(tx, client_id)


async def require_officer(tx: Transaction, client_id: int, refusal: str) -> None:
    """Raise Forbidden, with this message, for employees.

    Raises NotFound if the record of the request was deleted since the block began, so its client is no longer visible.
    """
    if await is_officer(tx, client_id):
        return
    if await repository.is_employee(tx):
        raise Forbidden(refusal)
    raise NotFound("The record has just been deleted")


def _membership(row: asyncpg.Record) -> ClientMembership:
    return ClientMembership(row["id"], row["name"], row["role"], row["logo_version"], row["uen"])


def _raise_not_found(client_id: int) -> NoReturn:
    raise NotFound(f"Client {client_id} does not exist")
