"""Handling of an API request: authenticate, apply the rate limit, check permissions, run the operation once."""

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NoReturn

import msgspec

from gaji.core.errors import (
    Conflict,
    Errors,
    Forbidden,
    GajiError,
    Unavailable,
    UnsupportedMediaType,
    ValidationError,
)
from gaji.core.threads import run_in_thread_if_many
from gaji.db.replica import ReplicaFailed
from gaji.db.tenancy import JoinedTransactions, StaleAccess, Tenant
from gaji.web import conditional_requests, idempotency, problems
from gaji.web.app_state import AppState
from gaji.web.asgi import HTTPScope, Receive, check_content_length, header, public_url, read_body, request_context
from gaji.web.authentication import bare_key
from gaji.web.json_body import is_large
from gaji.web.operations import JSON, Operation, Request, Response, parse_query_string
from gaji.web.query_parameters import parse_query
from gaji.web.responses import HttpResponse, build_response, error_response
from gaji.web.route_table import Route

MAX_ATTEMPTS = 3
BYTES_PER_RECORD = 1000
"""About the size of a record in a response."""
ANY_FILE = "application/octet-stream"


async def dispatch_request(
    state: AppState,
    route: Route[Operation],
    values: Sequence[str],
    scope: HTTPScope,
    receive: Receive,
    single_reads: Mapping[str, Operation],
) -> HttpResponse:
    """Return the response of the operation, or the problem document for its error.

    `single_reads` are the reads of one record, by path. Their entity tags are conditions of writes to the same path.
    """
    rate_headers: dict[str, str] = {}
    try:
        response = await _respond(state, route, values, scope, receive, single_reads, rate_headers)
    except Exception as error:
        return await _render_error(error, scope, rate_headers)
    headers = [*rate_headers.items(), *response.headers.items()]
    return build_response(response.status, response.body, response.media_type, headers, response.file)


async def _render_error(error: Exception, scope: HTTPScope, rate_headers: dict[str, str]) -> HttpResponse:
    """Return the response for an error, rendered in a thread if it has many details."""
    count = len(error.errors) if isinstance(error, ValidationError | Conflict) else 0
    return await run_in_thread_if_many(count, lambda: error_response(error, scope, rate_headers))


async def _respond(
    state: AppState,
    route: Route[Operation],
    values: Sequence[str],
    scope: HTTPScope,
    receive: Receive,
    single_reads: Mapping[str, Operation],
    rate_headers: dict[str, str],
) -> Response:
    key = bare_key(header(scope, b"authorization"))
    authenticator = state.authenticator
    caller = authenticator.cached_caller(key) or await authenticator.find_caller(key)
    context = request_context(scope)
    context.update(account_id=caller.account_id, user_id=caller.user_id, key_id=caller.key_id)
    rate_headers |= await state.limiter.count(state.pool, caller)
    check_content_length(scope)
    body = b"" if route.operation.body_schema is None else await _read_body(route.operation, scope, receive)
    ids, names = route.parse_values(values)
    if (client_id := ids.get("client_id")) is not None:
        context["client_id"] = client_id
    errors = Errors()
    parameters = _parse_parameters(route.operation, names, scope["query_string"], errors)
    allows_replica, record = route.operation.allows_replica, route.operation.requested_record(ids)
    for _ in range(MAX_ATTEMPTS):
        try:
            request_id = context["request_id"]
            tenant = Tenant(state.pool, state.vault, caller, request_id, allows_replica=allows_replica, record=record)
            request = Request(tenant, route.operation, ids, names, parameters, scope, body)
            return await _run(request, errors, single_reads.get(route.operation.path))
        except StaleAccess:
            # The first transaction did not open, so nothing has been done yet.
            authenticator.forget(key or "")
            caller = await authenticator.find_caller(key)
        except ReplicaFailed:
            allows_replica = False
    raise Unavailable("The access of this user is being changed; try again", retry_after_s=1)


def _parse_parameters(
    operation: Operation, names: Mapping[str, str], query_string: bytes, errors: Errors
) -> dict[str, Any]:
    """Return the parsed parameters of the path and the query. Adds an error for each that is not valid."""
    parameters = {name: kind.parse(names[name], name, errors) for name, kind in operation.path_types.items()}
    if query_string and not operation.checks_query:
        parameters |= parse_query(operation.query_parameters, parse_query_string(query_string), errors)
    return parameters


async def _run(request: Request, errors: Errors, single_read: Operation | None) -> Response:
    """Run the operation, unless its parameters have errors."""
    operation, scope = request.operation, request.scope
    if request.raw_body and not operation.body_media_types and is_large(request.raw_body):
        await asyncio.to_thread(lambda: request.json_value)
    if not operation.writes:
        response = await _run_handler(request, errors)
        if "fields" in request.parameters:
            response = await _select_fields(request, response)
        return conditional_requests.add_entity_tag(request, response) if operation.has_entity_tag else response
    if request.tenant.caller.read_only and not operation.allows_read_only_keys:
        raise Forbidden("This API key is read-only")
    if operation.prepare is not None and not errors:
        request.prepared = await operation.prepare(request)

    async def run(request: Request) -> Response:
        return await _run_handler(request, errors)

    async def run_if_unchanged() -> Response:
        if condition is None or errors:
            return await run(request)
        return await conditional_requests.run_if_unchanged(request, single_read, condition, run)

    condition, key = header(scope, b"if-match"), header(scope, b"idempotency-key")
    if key is None:
        return await run_if_unchanged()

    def render_error(error: GajiError) -> Response:
        document = problems.encode_problem(error, public_url(scope), request_context(scope)["request_id"])
        return Response(document, error.status, error.headers, problems.PROBLEM_JSON)

    # The query and the condition are part of what is compared when a key is used again.
    query, body = request.query_string, request.raw_body
    content = query + b"\0" + body if query else body
    if condition is not None:
        content += b"\0" + condition.encode()
    return await idempotency.run_once(
        request.tenant,
        key,
        operation.method,
        scope["path"],
        content,
        run_if_unchanged,
        render_error,
    )


async def _select_fields(request: Request, response: Response) -> Response:
    """Return the response with the attributes that the query selects, and the records that it includes."""
    form, names = request.operation.record_form, request.parameters["fields"]
    if form is None or not names or response.status != HTTPStatus.OK or response.media_type != JSON:
        return response
    selected_names = [*names, *request.parameters.get("include", ())]
    body = await run_in_thread_if_many(
        len(response.body) // BYTES_PER_RECORD, lambda: form.select(response.body, selected_names)
    )
    return msgspec.structs.replace(response, body=body)


async def _run_handler(request: Request, errors: Errors) -> Response:
    if errors:
        await _raise_all_errors(request, errors)
    try:
        return await request.operation.handler(request)
    except (ValidationError, Conflict) as error:
        error.warnings = {**request.warnings, **error.warnings}
        raise


async def _raise_all_errors(request: Request, errors: Errors) -> NoReturn:
    """Raise the errors of the parameters, for a write with a JSON body together with those of the body.

    The body is validated by the use case, so the use case runs, in a transaction that is rolled back. It does not run
    for reports and files, whose use cases are expensive.
    """
    operation = request.operation
    if operation.writes and operation.body_schema is not None and not operation.body_media_types:
        async with JoinedTransactions(request.tenant):
            try:
                await operation.handler(request)
            except ValidationError as error:
                errors = Errors({**errors, **error.errors})
            except Conflict:
                pass  # A request that is not valid is a 422, whatever the state of the records.
            raise ValidationError(errors, warnings=request.warnings)
    raise ValidationError(errors)


async def _read_body(operation: Operation, scope: HTTPScope, receive: Receive) -> bytes:
    """Return the body. Raises an error as soon as it is known to be too large or of the wrong type."""
    body = await read_body(receive, request_context(scope)["account_id"])
    media_type = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if body and media_type:
        _check_media_type(operation, media_type)
    return body


def _check_media_type(operation: Operation, media_type: str) -> None:
    file_types = operation.body_media_types
    is_json = not file_types and media_type.endswith("+json")
    if media_type not in ((*file_types, ANY_FILE) if file_types else (JSON,)) and not is_json:
        expected = " or ".join(file_types or (JSON,))
        raise UnsupportedMediaType(f"Send the body as {expected}, not {media_type[:100]}")
