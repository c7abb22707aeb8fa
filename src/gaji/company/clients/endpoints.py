"""Client endpoints."""

from gaji.approvals.schemas import REQUESTED, approval_json
from gaji.company.clients import service
from gaji.company.clients.schemas import CLIENT, CLIENT_EXAMPLE, CLIENT_SCHEMA
from gaji.core import json_schemas
from gaji.core.external_references import EXTERNAL_ID_TYPE
from gaji.core.field_types import Text
from gaji.db.json_lists import wrap_element
from gaji.web.operations import Request, Response, Router, pending_response, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Clients")

ACCOUNT_PENDING = "The client has been updated; the bank account changes when another person approves it"

SEARCH = QueryParameter("search", Text(min_length=1, max_length=200), "Text that occurs in the name or the UEN.")


@router.get(
    "/clients",
    response_schema=json_schemas.list_schema("client", CLIENT_SCHEMA),
    query=[IDS, SEARCH, QueryParameter("external_id", EXTERNAL_ID_TYPE, "Only the one with this external ID.")],
    paged=True,
    has_changes=True,
    example=[{"client": CLIENT_EXAMPLE}],
    allows_replica=True,
)
async def list_clients(request: Request) -> Response:
    """List the clients that this key can see."""
    if request.changes is not None:
        return request.changes_response("client", await service.list_changed_clients(request.tenant, request.changes))
    return request.list_response("client", await service.list_clients(request.tenant, request.page, request.parameters))


@router.post("/clients", body_schema=CLIENT.json_schema(), response_schema=json_schemas.SAVED)
async def create_client(request: Request) -> Response:
    """Create a client in the caller's account."""
    client_id, validated = await service.create_client(request.tenant, request.body)
    return saved_response("The client has been created", id=client_id, warnings=validated.warnings)


@router.get(
    "/clients/{client_id}",
    response_schema=json_schemas.wrapped_schema("client", CLIENT_SCHEMA),
    example={"client": CLIENT_EXAMPLE},
)
async def read_client(request: Request) -> Response:
    """Return one client."""
    return Response(wrap_element("client", await service.read_client(request.tenant, request.ids["client_id"])))


@router.patch(
    "/clients/{client_id}",
    body_schema=CLIENT.json_schema(partial=True),
    body_example={"metadata": {"crm_id": "C-204"}},
    response_schema=json_schemas.SAVED,
    pending_when="The client requires approval and the body changes its bank account. The rest is saved.",
    pending_schema=REQUESTED,
)
async def update_client(request: Request) -> Response:
    """Update a client. Only the supplied attributes change; null clears a value."""
    client_id = request.ids["client_id"]
    validated, approval = await service.update_client(request.tenant, client_id, request.body)
    if approval is not None:
        element = approval_json(approval, hide_identifiers=request.tenant.caller.hide_identifiers)
        values = {"id": client_id, "approval": element}
        return pending_response(ACCOUNT_PENDING, warnings=validated.warnings, **values)
    return saved_response("The client has been updated", id=client_id, warnings=validated.warnings)
