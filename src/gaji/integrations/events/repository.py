"""SQL for events."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction

ELEMENT = """json_build_object('id', e.id, 'type', e.type, 'client_id', e.client_id,
    'occurred_at', shown(e.occurred_at), 'resource', json_build_object('type', e.resource_type, 'id',
    CASE e.resource_type WHEN 'report' THEN to_json(e.resource_id) ELSE to_json(e.resource_id::bigint) END))::text"""


async def list_elements(
    tx: Transaction, client_id: int | None, after: int, types: Sequence[str], limit: int
) -> list[str]:
    """List events of the account, or of one client, as JSON in the order of their IDs. Without types: all types."""
    scope = "e.account_id = current_account()" if client_id is None else "e.client_id = $4"
    arguments = [] if client_id is None else [client_id]
    rows = await tx.fetch(
        f"SELECT {ELEMENT} AS element FROM events e WHERE {scope} AND e.id > $1 "
        "AND ($2::text[] = '{}' OR e.type = ANY ($2)) ORDER BY e.id LIMIT $3",
        after,
        types,
        limit,
        *arguments,
    )
    return [row["element"] for row in rows]


async def find_last_deleted_id(tx: Transaction) -> int:
    """Return the ID of the last event of the account that was deleted, or 0."""
    last_id: int | None = await tx.fetchval("SELECT last_id FROM deleted_events WHERE account_id = current_account()")
    return last_id or 0
