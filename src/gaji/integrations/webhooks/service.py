"""Webhook use cases."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import ListOrder, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_account_administrator, require_writer
from gaji.integrations.webhooks import repository
from gaji.integrations.webhooks.messages import secret_cell
from gaji.integrations.webhooks.schemas import REPLAY, WEBHOOK_ENDPOINT, EndpointInput
from gaji.integrations.webhooks.signatures import new_secret

MAX_ENDPOINTS = 100
"""Endpoints of one account."""
SECRET_OVERLAP = timedelta(days=1)
"""How long the previous secret still signs after a rotation."""


@dataclass(frozen=True)
class NewSecret:
    """An endpoint and its new secret, which is shown only once."""

    endpoint_id: int
    secret: str


async def list_endpoints(tenant: Tenant, client_id: int | None) -> list[str]:
    """List the endpoints of a client, or all that the caller can see, as JSON."""
    async with tenant.read_only() as tx:
        if client_id is not None:
            await require_client(tx, client_id)
        return await repository.list_elements(tx, client_id, of_account=tx.caller.administers_account)


async def read_endpoint(tenant: Tenant, endpoint_id: int) -> str:
    """Return an endpoint as JSON."""
    async with tenant.read_only() as tx:
        await _require_visible(tx, endpoint_id)
        element = await repository.load_element(tx, endpoint_id)
    if element is None:
        raise _not_found(endpoint_id)
    return element


async def create_endpoint(
    tenant: Tenant, client_id: int | None, body: Mapping[str, Any]
) -> tuple[NewSecret, ValidatedInput[EndpointInput]]:
    """Create an endpoint of a client, or of all clients of the account."""
    async with tenant.transaction() as tx:
        await _require_may_change(tx, client_id)
        validated = WEBHOOK_ENDPOINT.parse_create(body)
        if await repository.count_endpoints(tx) >= MAX_ENDPOINTS:
            raise Conflict(f"The account already has {MAX_ENDPOINTS} webhook endpoints; delete one first")
        secret = new_secret()
        endpoint_id = await repository.insert_endpoint(tx, client_id, validated.data, secret)
        return NewSecret(endpoint_id, secret), validated


async def update_endpoint(tenant: Tenant, endpoint_id: int, body: Mapping[str, Any]) -> ValidatedInput[EndpointInput]:
    """Update an endpoint. When it is enabled again, it gets what it has missed."""
    async with tenant.transaction() as tx:
        row = await _lock_changeable(tx, endpoint_id)
        await tx.check_precondition()
        current = {name: row[name] for name in ("url", "description", "types", "enabled")}
        validated = WEBHOOK_ENDPOINT.parse_update(body, current)
        await repository.update_endpoint(tx, endpoint_id, validated.data)
        if validated.data.enabled and not row["enabled"]:
            await repository.make_due(tx, endpoint_id)
        return validated


async def rotate_secret(tenant: Tenant, endpoint_id: int) -> NewSecret:
    """Replace the secret of an endpoint. Messages have signatures with both secrets for a day."""
    async with tenant.transaction() as tx:
        row = await _lock_changeable(tx, endpoint_id)
        previous_secret = tx.vault.open(row["secret_sealed"], secret_cell(endpoint_id))
        secret = new_secret()
        await repository.replace_secret(tx, endpoint_id, secret, previous_secret, SECRET_OVERLAP)
        return NewSecret(endpoint_id, secret)


async def delete_endpoint(tenant: Tenant, endpoint_id: int) -> None:
    """Delete an endpoint with its deliveries."""
    async with tenant.transaction() as tx:
        await _lock_changeable(tx, endpoint_id)
        await tx.check_precondition()
        await repository.delete_endpoint(tx, endpoint_id)


async def send_test(tenant: Tenant, endpoint_id: int) -> int:
    """Queue a test message and return the ID of its delivery."""
    async with tenant.transaction() as tx:
        _require_enabled(await _lock_changeable(tx, endpoint_id))
        delivery_id = await repository.insert_test(tx, endpoint_id)
    if delivery_id is None:
        raise Conflict("The account has no client yet, so there is nothing to send")
    return delivery_id


async def list_deliveries(
    tenant: Tenant, endpoint_id: int, state: str | None, page: ListPage | None, order: ListOrder | None = None
) -> tuple[list[str], int]:
    """List the deliveries of an endpoint as JSON, newest first unless otherwise stated, with the total count."""
    async with tenant.read_only() as tx:
        await _require_visible(tx, endpoint_id)
        return await repository.list_deliveries(tx, endpoint_id, state, page, order)


async def replay_delivery(tenant: Tenant, delivery_id: int, of_endpoint: int | None = None) -> None:
    """Send a delivery again, optionally only if it belongs to one endpoint."""
    async with tenant.transaction() as tx:
        endpoint_id = await repository.find_endpoint_of(tx, delivery_id)
        if endpoint_id is None or of_endpoint not in (None, endpoint_id):
            raise NotFound(f"Webhook delivery {delivery_id} does not exist")
        _require_enabled(await _lock_changeable(tx, endpoint_id))
        await repository.replay_delivery(tx, delivery_id)


async def replay_events(tenant: Tenant, endpoint_id: int, body: Mapping[str, Any]) -> int:
    """Send all events after one again, of the endpoint's types. Returns the number of events to look through."""
    async with tenant.transaction() as tx:
        _require_enabled(await _lock_changeable(tx, endpoint_id))
        return await repository.replay_events(tx, endpoint_id, REPLAY.parse_create(body).data.after)


async def _require_visible(tx: Transaction, endpoint_id: int) -> None:
    """Raise NotFound unless the caller can see this endpoint. Those of the account are for its administrators."""
    row = await repository.load_endpoint(tx, endpoint_id)
    if row is None or (row["for_client_id"] is None and not tx.caller.administers_account):
        raise _not_found(endpoint_id)


async def _require_may_change(tx: Transaction, client_id: int | None) -> None:
    if client_id is None:
        require_account_administrator(tx)
    else:
        await require_writer(tx, client_id)


async def _lock_changeable(tx: Transaction, endpoint_id: int) -> asyncpg.Record:
    """Lock an endpoint that the caller may change."""
    await _require_visible(tx, endpoint_id)
    row = await repository.lock_endpoint(tx, endpoint_id)
    if row is None:
        raise _not_found(endpoint_id)
    await _require_may_change(tx, row["for_client_id"])
    return row


def _require_enabled(row: asyncpg.Record) -> None:
    if not row["enabled"]:
        raise Conflict(f"Webhook endpoint {row['id']} is disabled; enable it first")


def _not_found(endpoint_id: int) -> NotFound:
    return NotFound(f"Webhook endpoint {endpoint_id} does not exist")
