"""SQL for webhook endpoints and deliveries."""

from datetime import timedelta
from typing import Protocol

import asyncpg

from gaji.db.json_lists import ListOrder, ListPage, fetch_page
from gaji.db.tenancy import Transaction
from gaji.integrations.webhooks.messages import TEST_TYPE, ClaimedDelivery, secret_cell
from gaji.integrations.webhooks.schemas import EndpointInput

ELEMENT = """json_build_object('id', e.id, 'client_id', e.for_client_id, 'url', e.url, 'description', e.description,
    'types', e.types, 'enabled', e.enabled, 'disabled_reason', e.disabled_reason,
    'previous_secret_expires_at', CASE WHEN e.previous_secret_expires_at > now()
                                       THEN shown(e.previous_secret_expires_at) END,
    'pending', (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending'),
    'created_at', shown(e.created_at), 'updated_at', shown(e.updated_at))::text"""

DELIVERY = """json_build_object('id', d.id, 'client_id', d.client_id, 'endpoint_id', d.endpoint_id,
    'event_id', d.event_id, 'type', d.type, 'resource', json_build_object('type', d.resource_type, 'id',
        CASE d.resource_type WHEN 'report' THEN to_json(d.resource_id) ELSE to_json(d.resource_id::bigint) END),
    'occurred_at', shown(d.occurred_at), 'state', d.state,
    'next_attempt_at', CASE d.state WHEN 'pending' THEN shown(d.next_attempt_at) END,
    'attempts', (SELECT coalesce(json_agg(json_build_object('at', shown((a.entry ->> 'at')::timestamptz),
        'status', (a.entry ->> 'status')::integer, 'reason', a.entry ->> 'reason',
        'duration_ms', (a.entry ->> 'duration_ms')::integer) ORDER BY a.place), '[]')
        FROM jsonb_array_elements(d.attempt_log) WITH ORDINALITY AS a(entry, place)))::text"""

NEWEST = "d.id DESC"
DELIVERY_ORDERS = {
    "message": ["d.type"],
    "last_attempt": ["(d.attempt_log -> -1 ->> 'at')::timestamptz"],
    "attempts": ["jsonb_array_length(d.attempt_log)"],
    "state": ["d.state"],
}
"""The SQL expressions that deliveries can be ordered by."""

ROW = "e.id, e.for_client_id, e.url, e.description, e.types, e.enabled"


class ClaimLimits(Protocol):
    """The limits of a claim."""

    @property
    def concurrent_per_endpoint(self) -> int: ...
    @property
    def failing_after(self) -> int: ...
    @property
    def ordered_attempts(self) -> int: ...
    @property
    def lease_s(self) -> float: ...


async def list_elements(tx: Transaction, client_id: int | None, *, of_account: bool) -> list[str]:
    """List the endpoints of one client, or of all clients that the caller can see and optionally of the account."""
    rows = await tx.fetch(
        f"SELECT {ELEMENT} AS element FROM webhook_endpoints e "
        "WHERE e.for_client_id = $1 OR ($1::bigint IS NULL AND (e.for_client_id IS NOT NULL OR $2)) ORDER BY e.id",
        client_id,
        of_account,
    )
    return [row["element"] for row in rows]


async def load_element(tx: Transaction, endpoint_id: int) -> str | None:
    """Load an endpoint as JSON."""
    element: str | None = await tx.fetchval(f"SELECT {ELEMENT} FROM webhook_endpoints e WHERE e.id = $1", endpoint_id)
    return element


async def load_endpoint(tx: Transaction, endpoint_id: int) -> asyncpg.Record | None:
    """Load an endpoint that row-level security shows."""
    return await tx.fetchrow(f"SELECT {ROW} FROM webhook_endpoints e WHERE e.id = $1", endpoint_id)


async def lock_endpoint(tx: Transaction, endpoint_id: int) -> asyncpg.Record | None:
    """Lock an endpoint until the transaction ends."""
    return await tx.fetchrow(
        f"SELECT {ROW}, e.secret_sealed FROM webhook_endpoints e WHERE e.id = $1 FOR NO KEY UPDATE", endpoint_id
    )


async def count_endpoints(tx: Transaction) -> int:
    """Count the endpoints of the account. No other can be added to it until the transaction ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints', current_account()))")
    count: int = await tx.fetchval("SELECT count_webhook_endpoints()")
    return count


async def insert_endpoint(tx: Transaction, client_id: int | None, endpoint: EndpointInput, secret: str) -> int:
    """Insert an endpoint, which gets the events from now on. Returns its ID."""
    endpoint_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('webhook_endpoints', 'id'))")
    await tx.execute(
        "INSERT INTO webhook_endpoints "
        "(id, account_id, for_client_id, url, description, types, enabled, secret_sealed) "
        "VALUES ($1, current_account(), $2, $3, $4, $5, $6, $7)",
        endpoint_id,
        client_id,
        endpoint.url,
        endpoint.description,
        list(endpoint.types or ()),
        endpoint.enabled,
        tx.vault.seal(secret, secret_cell(endpoint_id)),
    )
    await tx.execute(
        "INSERT INTO webhook_progress (endpoint_id, last_event_id) "
        "SELECT $1, coalesce(max(id), 0) FROM events WHERE account_id = current_account()",
        endpoint_id,
    )
    return endpoint_id


async def update_endpoint(tx: Transaction, endpoint_id: int, endpoint: EndpointInput) -> None:
    """Update an endpoint. One that is enabled is no longer disabled for a reason."""
    await tx.execute(
        "UPDATE webhook_endpoints SET url = $2, description = $3, types = $4, enabled = $5, "
        "disabled_reason = CASE WHEN $5 THEN NULL ELSE disabled_reason END, updated_at = now() WHERE id = $1",
        endpoint_id,
        endpoint.url,
        endpoint.description,
        list(endpoint.types or ()),
        endpoint.enabled,
    )


async def make_due(tx: Transaction, endpoint_id: int) -> None:
    """Let the pending deliveries of an endpoint be attempted now, with all their attempts."""
    await tx.execute(
        "UPDATE webhook_deliveries SET next_attempt_at = now(), attempts = 0 "
        "WHERE endpoint_id = $1 AND state = 'pending' AND leased_until IS NULL",
        endpoint_id,
    )
    await tx.execute("UPDATE webhook_progress SET failures = 0 WHERE endpoint_id = $1", endpoint_id)


async def replace_secret(
    tx: Transaction, endpoint_id: int, secret: str, previous_secret: str, overlap: timedelta
) -> None:
    """Replace the secret of an endpoint. The previous one stays valid for a while."""
    await tx.execute(
        "UPDATE webhook_endpoints SET secret_sealed = $2, previous_secret_sealed = $3, "
        "previous_secret_expires_at = now() + $4, updated_at = now() WHERE id = $1",
        endpoint_id,
        tx.vault.seal(secret, secret_cell(endpoint_id)),
        tx.vault.seal(previous_secret, secret_cell(endpoint_id, "previous_secret_sealed")),
        overlap,
    )


async def delete_endpoint(tx: Transaction, endpoint_id: int) -> None:
    """Delete an endpoint with its deliveries."""
    await tx.execute("DELETE FROM webhook_endpoints WHERE id = $1", endpoint_id)


async def insert_test(tx: Transaction, endpoint_id: int) -> int | None:
    """Insert a delivery of a test message and return its ID. None if the account has no client."""
    delivery_id: int | None = await tx.fetchval(
        "INSERT INTO webhook_deliveries (client_id, endpoint_id, type, resource_type, resource_id, occurred_at) "
        "SELECT coalesce(e.for_client_id, (SELECT min(c.id) FROM clients c)), e.id, $2, 'webhook_endpoint', "
        "e.id::text, now() FROM webhook_endpoints e "
        "WHERE e.id = $1 AND (e.for_client_id IS NOT NULL OR EXISTS (SELECT FROM clients)) RETURNING id",
        endpoint_id,
        TEST_TYPE,
    )
    return delivery_id


async def list_deliveries(
    tx: Transaction, endpoint_id: int, state: str | None, page: ListPage | None, order: ListOrder | None = None
) -> tuple[list[str], int]:
    """List the deliveries of an endpoint as JSON, newest first unless otherwise stated, and their total number."""
    source = "webhook_deliveries d WHERE d.endpoint_id = $1 AND ($2::text IS NULL OR d.state = $2)"
    query = (
        f"SELECT {DELIVERY} AS element FROM {source} ORDER BY {order.sql(DELIVERY_ORDERS, NEWEST) if order else NEWEST}"
    )
    rows, total = await fetch_page(tx, query, source, page, endpoint_id, state)
    return [row["element"] for row in rows], total


async def find_endpoint_of(tx: Transaction, delivery_id: int) -> int | None:
    """Return the endpoint of a delivery that the caller can see."""
    endpoint_id: int | None = await tx.fetchval("SELECT endpoint_id FROM webhook_deliveries WHERE id = $1", delivery_id)
    return endpoint_id


async def replay_delivery(tx: Transaction, delivery_id: int) -> None:
    """Let a delivery be sent again, with all its attempts."""
    await tx.execute(
        "UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_attempt_at = now() "
        "WHERE id = $1 AND (leased_until IS NULL OR leased_until <= now())",
        delivery_id,
    )


async def replay_events(tx: Transaction, endpoint_id: int, after: int) -> int:
    """Let the events after one be sent again. Returns the number of events of the account, whatever their types."""
    count: int = await tx.fetchval(
        "WITH moved AS (UPDATE webhook_progress SET last_event_id = least(last_event_id, $2) WHERE endpoint_id = $1 "
        "RETURNING 1) SELECT count(*) FROM events, moved WHERE account_id = current_account() AND id > $2",
        endpoint_id,
        after,
    )
    return count


async def create_deliveries(connection: asyncpg.Connection, batch: int, longest_backlog: int) -> bool:
    """Create the deliveries of new events for all endpoints. Returns whether there may be more."""
    more: bool = await connection.fetchval("SELECT create_webhook_deliveries($1, $2)", batch, longest_backlog)
    return more


async def claim_deliveries(connection: asyncpg.Connection, maximum: int, limits: ClaimLimits) -> list[ClaimedDelivery]:
    """Lease deliveries that are due."""
    rows = await connection.fetch(
        "SELECT * FROM claim_webhook_deliveries($1, $2, $3, $4, $5)",
        maximum,
        limits.concurrent_per_endpoint,
        limits.failing_after,
        limits.ordered_attempts,
        timedelta(seconds=limits.lease_s),
    )
    return [ClaimedDelivery(**row) for row in rows]


async def finish_delivery(
    connection: asyncpg.Connection,
    delivery: ClaimedDelivery,
    succeeded: bool,
    log_entry: str,
    delay: timedelta | None,
    reason_to_disable: str | None,
) -> bool:
    """Record the result of an attempt. Return whether the endpoint has been disabled."""
    is_disabled: bool = await connection.fetchval(
        "SELECT finish_webhook_delivery($1, $2, $3, $4, $5, $6)",
        delivery.client_id,
        delivery.id,
        succeeded,
        log_entry,
        delay,
        reason_to_disable,
    )
    return is_disabled
