"""Chains of the audit log in the database. The application writes them through functions only."""

from collections.abc import Sequence

import asyncpg

from gaji.audit.chain import ChainLink, ChainState, UnlinkedEntry


async def note_entries(connection: asyncpg.Connection) -> None:
    """Note which entries can get links as soon as all transactions that are running now have ended."""
    await connection.execute("SELECT note_audit_entries()")


async def lock_chains(connection: asyncpg.Connection) -> ChainState | None:
    """Reserve the chains for this transaction. Returns None if another transaction has reserved them."""
    row = await connection.fetchrow("SELECT ready, heads_hash, key_number FROM lock_audit_chains()")
    return None if row is None else ChainState(**row)


async def load_entries(connection: asyncpg.Connection, limit: int) -> list[UnlinkedEntry]:
    """Return the next entries that can get links, in order: up to the limit, and none if there are no more."""
    rows = await connection.fetch("SELECT entry_id, account_id, digest FROM entries_without_link($1)", limit)
    return [UnlinkedEntry(**row) for row in rows]


async def load_heads(connection: asyncpg.Connection) -> dict[int, ChainLink]:
    """Return the head of each chain, by account."""
    rows = await connection.fetch("SELECT account_id, position, entry_id, hash FROM load_audit_heads()")
    return {row["account_id"]: ChainLink(**row) for row in rows}


async def insert_links(
    connection: asyncpg.Connection, links: Sequence[ChainLink], key_number: int, hash_of_heads: bytes, *, is_last: bool
) -> None:
    """Add links. `is_last` if no more entries can get links now."""
    await connection.execute(
        "SELECT add_audit_links($1, $2, $3, $4, $5, $6, $7)",
        [link.account_id for link in links],
        [link.position for link in links],
        [link.entry_id for link in links],
        [link.hash for link in links],
        key_number,
        hash_of_heads,
        is_last,
    )
