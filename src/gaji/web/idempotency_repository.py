"""Locks and stored responses of idempotent requests."""

from dataclasses import dataclass

import msgspec

from gaji.core.vault import SealedCell
from gaji.db.tenancy import Transaction

RETENTION = "24 hours"
IdempotencyScope = tuple[int, str, str, str, int]
"""User, method, path, Idempotency-Key, and the ID of the API key if that is limited to some clients, else 0."""


@dataclass(frozen=True)
class StoredRequest:
    """The digest of a request, and its encoded response."""

    digest: bytes
    response: bytes


async def try_lock(tx: Transaction, scope: IdempotencyScope) -> bool:
    """Lock a key until the transaction ends. Return False if another request has the lock."""
    name = msgspec.json.encode(scope).decode()
    return bool(await tx.fetchval("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", name))


async def find_request(tx: Transaction, scope: IdempotencyScope) -> StoredRequest | None:
    """Return the stored request for a key, unless it has expired."""
    row = await tx.fetchrow(
        "SELECT id, request_sealed, answer_sealed FROM idempotent_answers WHERE user_id = $1 AND method = $2 "
        "AND path = $3 AND idempotency_key = $4 AND limited_key_id = $5 "
        f"AND created_at >= now() - interval '{RETENTION}'",
        *scope,
    )
    if row is None:
        return None
    digest, response = (
        tx.vault.open_bytes(row[column], _sealed_cell(row["id"], column))
        for column in ("request_sealed", "answer_sealed")
    )
    return StoredRequest(digest, response)


async def save_request(tx: Transaction, scope: IdempotencyScope, status: int, request: StoredRequest) -> None:
    """Encrypt and store a request and its response, in place of an expired one."""
    row_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('idempotent_answers', 'id'))")
    await tx.execute(
        "DELETE FROM idempotent_answers WHERE user_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4 "
        "AND limited_key_id = $5",
        *scope,
    )
    await tx.execute(
        "INSERT INTO idempotent_answers (id, user_id, method, path, idempotency_key, limited_key_id, "
        "request_sealed, status, answer_sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        row_id,
        *scope,
        tx.vault.seal(request.digest, _sealed_cell(row_id, "request_sealed")),
        status,
        tx.vault.seal(request.response, _sealed_cell(row_id, "answer_sealed")),
    )


def _sealed_cell(row_id: int, column: str) -> SealedCell:
    return SealedCell(0, "idempotent_answers", row_id, column)
