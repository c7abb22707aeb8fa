"""Idempotency-Key: the same write sent twice happens once, and the second sender gets the first one's answer.

The answer is stored in the transaction that has the effect, so there is never the one without the other. A lock that
ends with the transaction tells a second sender that the first is still at work.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256

import msgspec

from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.errors import Conflict, GajiError, Invalid
from gaji.vault import Place
from gaji.web.operations import Answer

MOST_KEY_CHARACTERS = 255
KEPT = "24 hours"
NOT_STORED = (409, 429)
Scope = tuple[int, str, str, str, int]
"""User, method, path, Idempotency-Key, and the API key where it is limited to some clients."""
REPLAYED = {"Idempotent-Replayed": "true"}


class StoredAnswer(msgspec.Struct):
    """An answer as it is kept, encrypted."""

    status: int
    headers: dict[str, str]
    media_type: str
    body: bytes


async def once(
    tenant: Tenant,
    key: str,
    method: str,
    path: str,
    body: bytes,
    run: Callable[[], Awaitable[Answer]],
    refuse: Callable[[GajiError], Answer],
) -> Answer:
    """Run the write, or give the answer it gave before under the same key."""
    if not 1 <= len(key) <= MOST_KEY_CHARACTERS or not key.isprintable():
        raise Invalid({"Idempotency-Key": f"must be 1 to {MOST_KEY_CHARACTERS} printable characters"})
    limited = tenant.caller.key_id if tenant.caller.limited else 0
    scope = (tenant.caller.user_id, method, path, key, limited or 0)
    request_hash = sha256(body).digest()
    async with JoinedTransactions(tenant) as tx:
        if not await _lock(tx, scope):
            raise Conflict("The first request with this Idempotency-Key is still running", headers={"Retry-After": "1"})
        stored = await _stored(tx, scope, request_hash)
        if stored is not None:
            return stored
        await tx.execute("SAVEPOINT before_the_effect")
        try:
            answer = await run()
        except GajiError as error:
            if error.status in NOT_STORED or error.status >= 500:
                raise
            await tx.execute("ROLLBACK TO SAVEPOINT before_the_effect")
            answer = refuse(error)
        await _store(tx, scope, request_hash, answer)
        return answer


async def _lock(tx: Transaction, scope: Scope) -> bool:
    name = msgspec.json.encode(scope).decode()
    return bool(await tx.fetchval("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", name))


async def _stored(tx: Transaction, scope: Scope, request_hash: bytes) -> Answer | None:
    row = await tx.fetchrow(
        "SELECT id, request_hash, answer_sealed FROM idempotent_answers WHERE user_id = $1 AND method = $2 "
        f"AND path = $3 AND idempotency_key = $4 AND limited_key_id = $5 AND created_at >= now() - interval '{KEPT}'",
        *scope,
    )
    if row is None:
        return None
    if row["request_hash"] != request_hash:
        raise Invalid({"Idempotency-Key": "was used before with a different request"})
    plain = tx.vault.open_bytes(row["answer_sealed"], _place(row["id"]))
    kept = msgspec.msgpack.decode(plain, type=StoredAnswer)
    return Answer(kept.body, kept.status, {**kept.headers, **REPLAYED}, kept.media_type)


async def _store(tx: Transaction, scope: Scope, request_hash: bytes, answer: Answer) -> None:
    row_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('idempotent_answers', 'id'))")
    kept = StoredAnswer(answer.status, dict(answer.headers), answer.media_type, answer.body)
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
        request_hash,
        answer.status,
        tx.vault.seal(msgspec.msgpack.encode(kept), _place(row_id)),
    )


def _place(row_id: int) -> Place:
    return Place(0, "idempotent_answers", row_id, "answer_sealed")
