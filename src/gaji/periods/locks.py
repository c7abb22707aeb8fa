"""Locks on the drafts of a client.

A transaction that creates, changes or calculates drafts takes the shared lock. A transaction that opens, finalises,
unfinalises or deletes a payment run takes the exclusive lock, because it concerns all drafts of a period, including
those that another transaction is about to create.

Take the lock before any row lock on a draft, and before reading anything that a decision depends on.
"""

from gaji.db.tenancy import Transaction

_SHARED = "pg_advisory_xact_lock_shared(hashtextextended('drafts', {}))"
_EXCLUSIVE = "pg_advisory_xact_lock(hashtextextended('drafts', {}))"
_DRAFTS = "drafts"

SHARED_LOCK_SQL = _SHARED.format("client_id")
"""An expression that takes the shared lock for the client of a row, for statements that also lock the row."""


async def lock_drafts_shared(tx: Transaction, client_id: int) -> None:
    """Prevent the client's runs from being opened, finalised, unfinalised or deleted until the transaction ends."""
    if (_DRAFTS, client_id) not in tx.held_locks:
        await tx.execute(f"SELECT {_SHARED.format('$1')}", client_id)
        mark_drafts_locked(tx, client_id)


def mark_drafts_locked(tx: Transaction, client_id: int) -> None:
    """Record that a statement with SHARED_LOCK_SQL has taken the shared lock."""
    tx.held_locks.add((_DRAFTS, client_id))


async def lock_drafts_exclusive(tx: Transaction, client_id: int) -> None:
    """Prevent every other transaction from changing the client's drafts until this one ends."""
    await tx.execute(f"SELECT {_EXCLUSIVE.format('$1')}", client_id)
