"""The background tasks that add links to the audit log and to access events."""

import asyncpg

from gaji.audit import access_repository, repository
from gaji.audit.access_chain import extend_access_chains
from gaji.audit.chain import extend_chains
from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection

MAX_ENTRIES = 2000
"""Entries that get links in one transaction."""


async def add_links(pool: Pool, vault: Vault) -> None:
    """Add links to all entries whose order is final. Entries of transactions that still run are left for later.

    Raises ChangedHeads.
    """
    async with pooled_connection(pool) as connection:
        for _ in range(2):  # what was noted the last time, and what came since
            await repository.note_entries(connection)
            while await _add_batch(connection, vault):
                pass


async def _add_batch(connection: asyncpg.Connection, vault: Vault) -> bool:
    """Add one batch of links. Return whether there may be more."""
    key_number = len(vault.audit_keys) - 1
    async with connection.transaction():
        state = await repository.lock_chains(connection)
        # After the secret was changed, the heads are confirmed with the new key, even if there are no new entries.
        if state is None or not (state.ready or state.key_number not in (None, key_number)):
            return False
        heads = await repository.load_heads(connection)
        entries = await repository.load_entries(connection, MAX_ENTRIES) if state.ready else []
        count = len(entries) + len(heads)
        links, new_hash = await run_in_thread_if_many(
            count, lambda: extend_chains(vault, heads, state.heads_hash, state.key_number, entries)
        )
        is_last = state.ready and not entries
        await repository.insert_links(connection, links, key_number, new_hash, is_last=is_last)
    return bool(entries)


async def add_access_links(pool: Pool, vault: Vault) -> None:
    """Add links to all access events whose order is final, and to those whose day is over. Raises ChangedHeads."""
    async with pooled_connection(pool) as connection:
        for _ in range(2):  # what was noted the last time, and what came since
            await access_repository.note_events(connection)
            while await _add_access_batch(connection, vault):
                pass


async def _add_access_batch(connection: asyncpg.Connection, vault: Vault) -> bool:
    """Add one batch of links of access events. Return whether there may be more."""
    key_number = len(vault.audit_keys) - 1
    async with connection.transaction():
        state = await access_repository.lock_chains(connection)
        # As for the audit log, the heads are confirmed with a new key.
        if state is None or not (state.opening or state.closing or state.key_number not in (None, key_number)):
            return False
        heads = await access_repository.load_heads(connection)
        events = await access_repository.load_events(connection, MAX_ENTRIES, state)
        count = len(events) + len(heads)
        links, new_hash = await run_in_thread_if_many(
            count, lambda: extend_access_chains(vault, heads, state.heads_hash, state.key_number, events)
        )
        opened_all, closed_all = state.opening and not events, state.closing and not events
        await access_repository.insert_links(
            connection, links, key_number, new_hash, opened_all=opened_all, closed_all=closed_all
        )
    return bool(events)
