"""Idempotency-Key: a write that is sent twice takes effect once, and the second response repeats the first.

The response and a digest of the request are stored, encrypted, in the same transaction as the effect. A lock that ends
with the transaction tells a second request that the first one is still running.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256

import msgspec

from gaji.core.errors import ErrorCode, GajiError, InProgress, invalid
from gaji.core.failpoints import failpoint
from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.web import idempotency_repository as repository
from gaji.web.idempotency_repository import IdempotencyScope, StoredRequest
from gaji.web.operations import REPLAYED, Response

HEADER = "Idempotency-Key"
MAX_KEY_LENGTH = 255
UNSTORED_STATUSES = (409, 412, 429)
SAVEPOINT = "before_effect"

BAD_IDEMPOTENCY_KEY = ErrorCode("bad_idempotency_key", "must be 1 to {max_length} printable characters")
IDEMPOTENCY_KEY_REUSED = ErrorCode("idempotency_key_reused", "was already used with a different request")


class StoredResponse(msgspec.Struct):
    """A response, as it is encrypted and stored."""

    status: int
    headers: dict[str, str]
    media_type: str
    body: bytes


async def run_once(
    tenant: Tenant,
    key: str,
    method: str,
    path: str,
    content: bytes,
    run: Callable[[], Awaitable[Response]],
    render_error: Callable[[GajiError], Response],
) -> Response:
    """Run a write, or return the stored response of an earlier request with the same key."""
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isprintable():
        raise invalid(HEADER, BAD_IDEMPOTENCY_KEY, max_length=MAX_KEY_LENGTH)
    limited_key_id = (tenant.caller.key_id if tenant.caller.limited else 0) or 0
    scope = (tenant.caller.user_id, method, path, key, limited_key_id)
    digest = sha256(content).digest()
    async with JoinedTransactions(tenant) as tx:
        if not await repository.try_lock(tx, scope):
            raise InProgress("The first request with this Idempotency-Key is still running", retry_after_s=1)
        stored = await _find_response(tx, scope, digest)
        if stored is not None:
            return stored
        await tx.savepoint(SAVEPOINT)
        try:
            response = await run()
        except GajiError as error:
            if error.status in UNSTORED_STATUSES or error.status >= 500:
                raise
            await tx.roll_back_to(SAVEPOINT)
            response = render_error(error)
        await _save_response(tx, scope, digest, response)
        failpoint("request.before_commit")
    failpoint("request.after_commit")
    return response


async def _find_response(tx: Transaction, scope: IdempotencyScope, digest: bytes) -> Response | None:
    request = await repository.find_request(tx, scope)
    if request is None:
        return None
    if request.digest != digest:
        raise invalid(HEADER, IDEMPOTENCY_KEY_REUSED)
    response = msgspec.msgpack.decode(request.response, type=StoredResponse)
    return Response(response.body, response.status, {**response.headers, REPLAYED: "true"}, response.media_type)


async def _save_response(tx: Transaction, scope: IdempotencyScope, digest: bytes, response: Response) -> None:
    stored = StoredResponse(response.status, dict(response.headers), response.media_type, response.body)
    request = StoredRequest(digest, msgspec.msgpack.encode(stored))
    await repository.save_request(tx, scope, response.status, request)
