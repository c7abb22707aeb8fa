"""The way of a request through an operation: authenticated, counted, permitted, run once, answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from litestar.types import HTTPScope, Receive

from gaji.core.errors import Forbidden, GajiError, Unavailable, UnsupportedMediaType
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import AccessChanged, Tenant
from gaji.web import idempotency, problems
from gaji.web.authentication import Authenticator
from gaji.web.responses import HttpResponse, error_response, build_response
from gaji.web.rate_limit import RateLimiter
from gaji.web.operations import JSON, Operation, Request, Response
from gaji.web.asgi import check_content_length, header, origin, read_body, request_context
from gaji.web.route_table import Route

MOST_TRIES = 3
ANY_FILE = "application/octet-stream"


@dataclass(frozen=True)
class AppState:
    """What every operation of this process shares."""

    pool: Pool
    vault: Vault
    authenticator: Authenticator
    limiter: RateLimiter


async def dispatch_request(
    service: AppState, route: Route[Operation], values: Sequence[str], scope: HTTPScope, receive: Receive
) -> HttpResponse:
    """Answer one request, with a problem document when it is refused."""
    limits: dict[str, str] = {}
    try:
        answer = await _answer(service, route, values, scope, receive, limits)
    except Exception as error:
        return error_response(error, scope, limits)
    headers = [*limits.items(), *answer.headers.items()]
    return build_response(answer.status, answer.body, answer.media_type, headers, answer.file)


async def _answer(
    service: AppState,
    route: Route[Operation],
    values: Sequence[str],
    scope: HTTPScope,
    receive: Receive,
    limits: dict[str, str],
) -> HttpResponse:
    key = header(scope, b"authorization")
    authenticator = service.authenticator
    caller = authenticator.remembered(key) or await authenticator.caller(key)
    request_context(scope).update(user_id=caller.user_id, key_id=caller.key_id)
    if caller.key_id is not None:
        limits |= service.limiter.count(caller.key_id)
    body = await _body(route.operation, scope, receive)
    ids, names = route.parse_values(values)
    for _ in range(MOST_TRIES):
        try:
            tenant = Tenant(service.pool, service.vault, caller, request_context(scope)["request_id"])
            return await _run(Request(tenant, route.operation, ids, names, scope, body))
        except AccessChanged:
            # Nothing was done yet: the first transaction refused to open.
            authenticator.forget(key or "")
            caller = await authenticator.caller(key)
    raise Unavailable("The access of this user is changing; please try again", retry_after_s=1)


async def _run(call: Request) -> HttpResponse:
    operation, scope = call.operation, call.scope
    if not operation.writes:
        return await operation.handler(call)
    if call.tenant.caller.read_only:
        raise Forbidden("This API key is read-only")
    key = header(scope, b"idempotency-key")
    if key is None:
        return await operation.handler(call)

    def refuse(error: GajiError) -> HttpResponse:
        document = problems.encode_problem(error, origin(scope), request_context(scope)["request_id"])
        return HttpResponse(document, error.status, error.headers, problems.PROBLEM_JSON)

    # What is asked for in the query is part of the request.
    sent = call.query_string + b"\0" + call.raw_body if call.query_string else call.raw_body
    return await idempotency.once(
        call.tenant, key, operation.method, scope["path"], sent, lambda: operation.handler(call), refuse
    )


async def _body(operation: Operation, scope: HTTPScope, receive: Receive) -> bytes:
    """The whole body, refused as soon as it is known to be too large or not JSON."""
    check_content_length(scope)
    if operation.takes is None:
        return b""
    body = await read_body(receive)
    media_type = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if body and media_type:
        _check_media_type(operation, media_type)
    return body


def _check_media_type(operation: Operation, media_type: str) -> None:
    wanted = operation.takes_file or JSON
    is_json = operation.takes_file is None and media_type.endswith("+json")
    if media_type not in (wanted, operation.takes_file and ANY_FILE) and not is_json:
        raise UnsupportedMediaType(f"Send the body as {wanted}, not {media_type[:100]}")
