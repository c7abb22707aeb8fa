"""Idempotency-Key: the same write sent twice happens once, and the second sender gets the first one's answer.

The answer is stored in the transaction that has the effect, so there is never the one without the other. A lock that
ends with the transaction tells a second sender that the first is still at work.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256

import msgspec

from gaji.core.errors import INVALID, Conflict, GajiError, invalid
from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.web import idempotency_repository as store
from gaji.web.operations import Response

MOST_KEY_CHARACTERS = 255
NOT_STORED = (409, 429)
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
    run: Callable[[], Awaitable[Response]],
    refuse: Callable[[GajiError], Response],
) -> Response:
    """Run the write, or give the answer it gave before under the same key."""
    if not 1 <= len(key) <= MOST_KEY_CHARACTERS or not key.isprintable():
        raise invalid("Idempotency-Key", INVALID, reason=f"must be 1 to {MOST_KEY_CHARACTERS} printable characters")
    limited = tenant.caller.key_id if tenant.caller.limited else 0
    scope = (tenant.caller.user_id, method, path, key, limited or 0)
    request_hash = sha256(body).digest()
    async with JoinedTransactions(tenant) as tx:
        if not await store.lock(tx, scope):
            raise Conflict("The first request with this Idempotency-Key is still running", headers={"Retry-After": "1"})
        stored = await _stored(tx, scope, request_hash)
        if stored is not None:
            return stored
        await store.begin_effect(tx)
        try:
            answer = await run()
        except GajiError as error:
            if error.status in NOT_STORED or error.status >= 500:
                raise
            await store.undo_effect(tx)
            answer = refuse(error)
        await _store(tx, scope, request_hash, answer)
        return answer


async def _stored(tx: Transaction, scope: store.Scope, request_hash: bytes) -> Response | None:
    found = await store.find(tx, scope)
    if found is None:
        return None
    if found.request_hash != request_hash:
        raise invalid("Idempotency-Key", INVALID, reason="was used before with a different request")
    kept = msgspec.msgpack.decode(found.answer, type=StoredAnswer)
    return Response(kept.body, kept.status, {**kept.headers, **REPLAYED}, kept.media_type)


async def _store(tx: Transaction, scope: store.Scope, request_hash: bytes, answer: Response) -> None:
    kept = StoredAnswer(answer.status, dict(answer.headers), answer.media_type, answer.body)
    await store.keep(tx, scope, answer.status, store.Kept(request_hash, msgspec.msgpack.encode(kept)))
