"""Access events. They are written by a database function only."""

import asyncpg

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction

VISIBLE = """(EXISTS (SELECT FROM users me WHERE me.id = $1 AND me.administrator) OR e.user_id = $1
    OR e.user_id IN (SELECT theirs.user_id FROM memberships mine JOIN memberships theirs USING (client_id)
                     WHERE mine.user_id = $1 AND mine.role = 'owner'))"""
"""The events that the caller may see, among those of the account."""


async def record(
    connection: asyncpg.Connection,
    user_id: int | None,
    email: str | None,
    key_id: int | None,
    kind: str,
    path: str,
    address: str,
    user_agent: str,
) -> None:
    """Record an event of a user, or of the user with an email."""
    arguments = user_id, email, key_id, kind, path, address, user_agent
    await connection.execute("SELECT record_access($1, $2, $3, $4, $5, $6, $7)", *arguments)


async def list_events(tx: Transaction, page: ListPage) -> list[asyncpg.Record]:
    """Return a page of the events that the caller may see, newest first, and one more if there is one."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""SELECT e.kind, e.user_id, coalesce(nullif(u.name, ''), u.email, 'A deleted user') AS user_name,
                   CASE WHEN e.key_id IS NOT NULL THEN coalesce(k.name, 'API key') END AS key_name,
                   e.path, e.address, e.user_agent, e.count, e.last_at
            FROM access_events e LEFT JOIN users u ON u.id = e.user_id LEFT JOIN api_keys k ON k.id = e.key_id
            WHERE {VISIBLE} ORDER BY e.last_at DESC, e.id DESC
            LIMIT {page.size + 1:d} OFFSET {page.offset:d}""",
        tx.caller.user_id,
    )
    return rows
