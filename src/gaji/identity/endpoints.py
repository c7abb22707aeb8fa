"""The endpoints for the caller and for access events."""

from gaji.core import json_schemas
from gaji.core.field_types import MAX_ID, DateType, Integer
from gaji.core.settings import Settings
from gaji.identity import access_events, service
from gaji.identity.access_event_schemas import ACCESS_EVENT, ACCESS_EVENT_EXAMPLE, KIND
from gaji.identity.caller_schemas import ME_EXAMPLE, ME_SCHEMA
from gaji.web.operations import Request, Response, Router
from gaji.web.paging import FIRST_PAGE
from gaji.web.query_parameters import QueryParameter

router = Router("Caller")
access_router = Router("Access log")

ACCESS_QUERY = (
    QueryParameter("from", DateType(), "First day, in Singapore time."),
    QueryParameter("to", DateType(), "Last day, in Singapore time."),
    QueryParameter("user_id", Integer(minimum=1, maximum=MAX_ID), "Events of this user."),
    QueryParameter("kind", KIND, "Events of this kind."),
)


@router.get("/me", response_schema=ME_SCHEMA, example=ME_EXAMPLE)
async def read_me(request: Request) -> Response:
    """Return the user and the account of this API key, its clients with the user's roles, and its limits."""
    return Response(await service.read_caller(request.tenant, Settings.from_environment().rate_limit))


@access_router.get(
    "/access_events",
    response_schema=json_schemas.list_schema("access_event", ACCESS_EVENT),
    query=ACCESS_QUERY,
    paged=True,
    example=[{"access_event": ACCESS_EVENT_EXAMPLE}],
)
async def list_access_events(request: Request) -> Response:
    """List sign-ins, downloads, reads of identifiers and API keys at new addresses, newest first. For owners."""
    page = request.page or FIRST_PAGE
    events = await access_events.list_json_events(request.tenant, request.parameters, page)
    return request.list_response("access_event", events, page)
