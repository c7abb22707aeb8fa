"""Event endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.integrations.events import service
from gaji.integrations.events.schemas import EVENT, EXAMPLE, TYPES
from gaji.web.operations import Request, Response, Router
from gaji.web.paging import Count
from gaji.web.query_parameters import CommaSeparated, QueryParameter

router = Router("Events")

MAX_EVENTS = 1000
DEFAULT_EVENTS = 100
QUERY = (
    QueryParameter("after", Integer(minimum=0), "The ID of the last event that you have. Default: the oldest event."),
    QueryParameter("limit", Count(maximum=MAX_EVENTS), f"The maximum number of events. Default: {DEFAULT_EVENTS}."),
    QueryParameter("types", CommaSeparated(TYPES), "Only events of these types, separated by commas."),
)
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
