"""The way of a request through an operation: authenticated, counted, permitted, run once, answered."""

import re
from dataclasses import dataclass

from litestar.types import Receive, Scope

from gaji.db.pool import Pool
from gaji.db.tenancy import AccessChanged, Caller, Tenant
from gaji.errors import Forbidden, GajiError, Malformed, NotFound, TooLarge, Unavailable, UnsupportedMediaType
from gaji.vault import Vault
from gaji.web import idempotency, problems
from gaji.web.authentication import Authenticator
from gaji.web.gateway import Response, header, origin, refusal, request_notes, response
from gaji.web.limits import RateLimiter
from gaji.web.operations import Answer, Call, Operation, is_identifier

MOST_BODY_BYTES = 10 * 1024 * 1024
IDENTIFIER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
MOST_TRIES = 3


@dataclass(frozen=True)
class Service:
    """What every operation of this process shares."""

    pool: Pool
    vault: Vault
    authenticator: Authenticator
    limiter: RateLimiter


async def serve(
    service: Service, operation: Operation, scope: Scope, receive: Receive, path: dict[str, str]
) -> Response:
    """Answer one request, with a problem document when it is refused."""
    limits: dict[str, str] = {}
    try:
        answer = await _answer(service, operation, scope, receive, path, limits)
    except Exception as error:
        return refusal(error, scope, limits)
    headers = [*limits.items(), *answer.headers.items()]
    return response(answer.status, answer.body, answer.media_type, headers, answer.file)


async def _answer(
    service: Service,
    operation: Operation,
    scope: Scope,
    receive: Receive,
    path: dict[str, str],
    limits: dict[str, str],
) -> Answer:
    key = header(scope, b"authorization")
    caller = await service.authenticator.caller(key)
    request_notes(scope).update(user_id=caller.user_id, key_id=caller.key_id)
    if caller.key_id is not None:
        limits |= service.limiter.count(caller.key_id)
    body = await _body(operation, scope, receive)
    for _ in range(MOST_TRIES):
        try:
            return await _run(service, operation, scope, path, body, caller)
        except AccessChanged:
            # Nothing was done yet: the first transaction refused to open.
            service.authenticator.forget(key or "")
            caller = await service.authenticator.caller(key)
    raise Unavailable("The access of this user is changing; please try again", retry_after_s=1)


async def _run(
    service: Service, operation: Operation, scope: Scope, path: dict[str, str], body: bytes, caller: Caller
) -> Answer:
    notes = request_notes(scope)
    if operation.writes and caller.read_only:
        raise Forbidden("This API key is read-only")
    tenant = Tenant(service.pool, service.vault, caller, notes["request_id"])
    call = Call(
        tenant=tenant,
        operation=operation,
        ids={name: _identifier(value) for name, value in path.items() if is_identifier(name)},
        names={name: value for name, value in path.items() if not is_identifier(name)},
        query_string=scope["query_string"],
        raw_body=body,
        address=origin(scope) + scope["path"],
        accepted=header(scope, b"accept") or "",
    )
    key = header(scope, b"idempotency-key") if operation.writes else None
    if key is None:
        return await operation.handler(call)

    def refuse(error: GajiError) -> Answer:
        document = problems.document(error, origin(scope), notes["request_id"])
        return Answer(document, error.status, error.headers, problems.PROBLEM_JSON)

    return await idempotency.once(
        tenant, key, operation.method, scope["path"], body, lambda: operation.handler(call), refuse
    )


def _identifier(text: str) -> int:
    if not IDENTIFIER.fullmatch(text):
        raise NotFound(f"There is no record {text[:40]!r}: identifiers are whole numbers")
    return int(text)


async def _body(operation: Operation, scope: Scope, receive: Receive) -> bytes:
    """The whole body, refused as soon as it is known to be too large or not JSON."""
    announced = header(scope, b"content-length")
    if announced is not None and announced.isdigit() and int(announced) > MOST_BODY_BYTES:
        raise _too_large()
    if operation.takes is None:
        return b""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            # The caller went away in the middle: nobody knows what they meant to send, or waits for an answer.
            raise Malformed("The request ended before its body did")
        parts.append(message["body"])
        size += len(message["body"])
        if size > MOST_BODY_BYTES:
            raise _too_large()
        more = message["more_body"]
    media_type = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if size and media_type and media_type != "application/json" and not media_type.endswith("+json"):
        raise UnsupportedMediaType(f"Send the body as application/json, not {media_type[:100]}")
    return b"".join(parts)


def _too_large() -> TooLarge:
    return TooLarge(f"The body is larger than {MOST_BODY_BYTES // 1024 // 1024} MiB")
