"""The background task that adds links to the audit log."""

from collections.abc import Sequence

import asyncpg

from gaji.audit import repository
from gaji.audit.chain import ChainLink, ChainState, UnlinkedEntry, are_heads_unchanged, extend_chains
from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection

MAX_ENTRIES = 2000
"""Entries that get links in one transaction."""


class ChangedHeads(Exception):
    """Someone changed the heads of the chains, so no links are added to them."""


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
        links, new_hash = await run_in_thread_if_many(count, lambda: _extend_unchanged(vault, state, heads, entries))
        is_last = state.ready and not entries
        await repository.insert_links(connection, links, key_number, new_hash, is_last=is_last)
    return bool(entries)


def _extend_unchanged(
    vault: Vault, state: ChainState, heads: dict[int, ChainLink], entries: Sequence[UnlinkedEntry]
) -> tuple[list[ChainLink], bytes]:
    """Return new links and the new hash of the heads. Heads that were changed are not confirmed with a new hash."""
    if not are_heads_unchanged(vault, list(heads.values()), state.heads_hash, state.key_number):
        raise ChangedHeads("the heads of the chains were changed; run `gaji audit verify`")
    return extend_chains(vault, heads, entries)
