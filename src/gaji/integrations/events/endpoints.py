"""Event endpoints."""

from gaji.core import json_schemas
from gaji.integrations.events import service
from gaji.integrations.events.schemas import DEFAULT_EVENTS, EVENT, EXAMPLE, QUERY
from gaji.web.operations import Request, Response, Router

router = Router("Events")

_LIST = json_schemas.list_schema("event", EVENT)


@router.get("/events", query=QUERY, response_schema=_LIST, example=[{"event": EXAMPLE}], error_statuses=[410])
async def list_events(request: Request) -> Response:
    """List events of all clients that this key can see, in order."""
    return await _list(request, None)


@router.get(
    "/clients/{client_id}/events",
    query=QUERY,
    response_schema=_LIST,
    example=[{"event": EXAMPLE}],
    error_statuses=[410],
)
async def list_client_events(request: Request) -> Response:
    """List events of a client, in order."""
    return await _list(request, request.ids["client_id"])


async def _list(request: Request, client_id: int | None) -> Response:
    parameters = request.parameters
    types, limit = parameters.get("types", ()), parameters.get("limit", DEFAULT_EVENTS)
    elements = await service.list_events(request.tenant, client_id, parameters.get("after"), types, limit)
    return request.list_response("event", (elements, len(elements)))
