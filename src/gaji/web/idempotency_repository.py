"""The SQL of idempotency: who is at work on an Idempotency-Key, and the answers that are kept."""

from dataclasses import dataclass

import msgspec

from gaji.core.vault import Place
from gaji.db.tenancy import Transaction

KEPT = "24 hours"
Scope = tuple[int, str, str, str, int]
"""User, method, path, Idempotency-Key, and the API key where it is limited to some clients."""


@dataclass(frozen=True)
class Kept:
    """An answer that was kept, and the hash of the request that it answered."""

    request_hash: bytes
    answer: bytes


async def lock(tx: Transaction, scope: Scope) -> bool:
    """Be the only one at work on this key until the transaction ends; false when someone else is."""
    name = msgspec.json.encode(scope).decode()
    return bool(await tx.fetchval("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", name))


async def find(tx: Transaction, scope: Scope) -> Kept | None:
    """The answer that is kept for this key, if it is not too old."""
    row = await tx.fetchrow(
        "SELECT id, request_hash, answer_sealed FROM idempotent_answers WHERE user_id = $1 AND method = $2 "
        f"AND path = $3 AND idempotency_key = $4 AND limited_key_id = $5 AND created_at >= now() - interval '{KEPT}'",
        *scope,
    )
    return row and Kept(row["request_hash"], tx.vault.open_bytes(row["answer_sealed"], _place(row["id"])))


async def keep(tx: Transaction, scope: Scope, status: int, kept: Kept) -> None:
    """Keep an answer, encrypted, in place of one that is too old."""
    row_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('idempotent_answers', 'id'))")
    await tx.execute(
        "DELETE FROM idempotent_answers WHERE user_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4 "
        "AND limited_key_id = $5",
        *scope,
    )
    await tx.execute(
        "INSERT INTO idempotent_answers (id, user_id, method, path, idempotency_key, limited_key_id, "
        "request_hash, status, answer_sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        row_id,
        *scope,
        kept.request_hash,
        status,
        tx.vault.seal(kept.answer, _place(row_id)),
    )


async def begin_effect(tx: Transaction) -> None:
    """Mark where the effect of the request begins, for undo_effect."""
    await tx.savepoint("before_the_effect")


async def undo_effect(tx: Transaction) -> None:
    """Undo the effect of the request, and keep the lock."""
    await tx.roll_back_to("before_the_effect")


def _place(row_id: int) -> Place:
    return Place(0, "idempotent_answers", row_id, "answer_sealed")
