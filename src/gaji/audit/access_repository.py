"""Chains of access events in the database. The application writes them through functions only."""

from collections.abc import Sequence

import asyncpg

from gaji.audit.access_chain import AccessChainState, AccessLink, UnlinkedEvent, erasure_hash
from gaji.audit.chain import ChainLink
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction


async def note_events(connection: asyncpg.Connection) -> None:
    """Note which events can get links as soon as all transactions that are running now have ended."""
    await connection.execute("SELECT note_access_events()")


async def lock_chains(connection: asyncpg.Connection) -> AccessChainState | None:
    """Reserve the chains for this transaction. Returns None if another transaction has reserved them."""
    row = await connection.fetchrow("SELECT opening, closing, heads_hash, key_number FROM lock_access_chains()")
    return None if row is None else AccessChainState(**row)


async def load_events(connection: asyncpg.Connection, limit: int, state: AccessChainState) -> list[UnlinkedEvent]:
    """Return the next events that can get links: up to the limit, and none if there are no more."""
    rows = await connection.fetch(
        "SELECT event_id, account_id, day, closed, digest FROM access_events_without_link($1, $2, $3)",
        limit,
        state.opening,
        state.closing,
    )
    return [UnlinkedEvent(**row) for row in rows]


async def load_heads(connection: asyncpg.Connection) -> dict[int, ChainLink]:
    """Return the head of each chain, by account."""
    rows = await connection.fetch("SELECT account_id, position, entry_id, hash FROM load_access_heads()")
    return {row["account_id"]: ChainLink(**row) for row in rows}


async def insert_links(
    connection: asyncpg.Connection,
    links: Sequence[AccessLink],
    key_number: int,
    hash_of_heads: bytes,
    *,
    opened_all: bool,
    closed_all: bool,
) -> None:
    """Add links. `opened_all` and `closed_all` if no more events can get their first or second link now."""
    await connection.execute(
        "SELECT add_access_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        [item.link.account_id for item in links],
        [item.link.position for item in links],
        [item.event.event_id for item in links],
        [item.event.day for item in links],
        [item.event.closed for item in links],
        [item.event.digest for item in links],
        [item.link.hash for item in links],
        key_number,
        hash_of_heads,
        opened_all,
        closed_all,
    )


async def erase_events(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Delete the access events of the users who are erased with an employee, so that the chains stay intact."""
    rows = await tx.fetch("SELECT event_id FROM erase_access_events($1, $2) AS event_id", client_id, employee_id)
    event_ids, key_number = [row["event_id"] for row in rows], len(tx.vault.audit_keys) - 1
    hashes = await run_in_thread_if_many(
        len(event_ids), lambda: [erasure_hash(tx.vault, key_number, event_id) for event_id in event_ids]
    )
    await tx.execute("SELECT sign_access_erasures($1, $2, $3)", event_ids, hashes, key_number)
