"""Access events. They are written by a database function only."""

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.tenancy import Transaction

VISIBLE = """($2 OR e.user_id = $1
    OR e.user_id IN (SELECT theirs.user_id FROM memberships mine JOIN memberships theirs USING (client_id)
                     WHERE mine.user_id = $1 AND mine.role = 'owner'))"""
"""The events that the caller may see, among those of the account."""
CONDITIONS = {"kind": "e.kind = {}", "user_id": "e.user_id = {}", "from": "e.day >= {}", "to": "e.day <= {}"}


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


async def record_refused_identifiers(
    connection: asyncpg.Connection, user_id: int, key_id: int, count: int, path: str, address: str, user_agent: str
) -> None:
    """Count identifiers that a key sent and that are in use, and record the event."""
    arguments = user_id, key_id, count, path, address, user_agent
    await connection.execute("SELECT record_refused_identifiers($1, $2, $3, $4, $5, $6)", *arguments)


async def record_failed_single_sign_on(
    connection: asyncpg.Connection, account_id: int, user_id: int | None, reason: str, address: str, user_agent: str
) -> None:
    """Record a single sign-on that failed, of a user or of someone who is not known."""
    arguments = account_id, user_id, reason, address, user_agent
    await connection.execute("SELECT record_failed_single_sign_on($1, $2, $3, $4, $5)", *arguments)


async def list_events(tx: Transaction, page: ListPage) -> list[asyncpg.Record]:
    """Return a page of the events that the caller may see, newest first, and one more if there is one."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""SELECT e.kind, e.user_id, coalesce(nullif(u.name, ''), u.email,
                            CASE WHEN e.user_id IS NULL THEN 'Unknown' ELSE 'A deleted user' END) AS user_name,
                   CASE WHEN e.key_id IS NOT NULL THEN coalesce(k.name, 'API key') END AS key_name,
                   e.path, e.address, e.user_agent, e.count, e.last_at
            FROM access_events e LEFT JOIN users u ON u.id = e.user_id LEFT JOIN api_keys k ON k.id = e.key_id
            WHERE {VISIBLE} ORDER BY e.last_at DESC, e.id DESC
            LIMIT {page.size + 1:d} OFFSET {page.offset:d}""",
        *_viewer(tx),
    )
    return rows


async def list_json_events(tx: Transaction, filters: Filters, page: ListPage) -> tuple[list[str], int]:
    """Return a page of the events that the caller may see as JSON, newest first, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, *_viewer(tx))
    where = f"WHERE {VISIBLE}{conditions}"
    query = f"""SELECT row_to_json(x)::text AS element
                FROM access_events e LEFT JOIN users u ON u.id = e.user_id CROSS JOIN LATERAL (
                    SELECT e.id, e.kind, e.user_id, coalesce(nullif(u.name, ''), u.email) AS user_name,
                        e.key_id AS api_key_id, e.path, e.address, e.user_agent, e.count,
                        shown(e.first_at) AS first_at, shown(e.last_at) AS last_at) x
                {where} ORDER BY e.last_at DESC, e.id DESC"""
    rows, total = await fetch_page(tx, query, f"access_events e {where}", page, *arguments)
    return [row["element"] for row in rows], total


async def is_owner(tx: Transaction) -> bool:
    """Return whether the caller owns a client that the API key can access."""
    query = "SELECT EXISTS (SELECT FROM memberships WHERE user_id = $1 AND role = 'owner')"
    return bool(await tx.fetchval(query, tx.caller.user_id))


def _viewer(tx: Transaction) -> tuple[int, bool]:
    """Return the caller, and whether the caller sees all events of the account."""
    return tx.caller.user_id, tx.caller.administers_account
