"""Clients over HTTP."""

from gaji.company.clients import service
from gaji.company.clients.schemas import CLIENT
from gaji.core.validation import JsonSchema
from gaji.db.json_lists import wrapped
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Clients")

CREATED = "The client has been created"
UPDATED = "The client has been updated"

EXAMPLE = schemas.example(CLIENT, id=1) | {
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
ELEMENT: JsonSchema = schemas.read_form(CLIENT, "Client", with_client_id=False)


@routes.get("/clients", answers=schemas.array_of("client", ELEMENT), paged=True, example=[{"client": EXAMPLE}])
async def list_clients(call: Request) -> Response:
    """The clients that this key may see."""
    return call.listed("client", await service.list_clients(call.tenant, call.page))


@routes.post("/clients", takes=CLIENT.json_schema(), answers=schemas.SAVED, statuses=[403, 422])
async def create_client(call: Request) -> Response:
    """Create a client in the account of the caller."""
    client_id, reading = await service.create_client(call.tenant, call.body)
    return saved(CREATED, id=client_id, warnings=reading.warnings)


@routes.get("/clients/{client_id}", answers=schemas.wrapped("client", ELEMENT), example={"client": EXAMPLE})
async def read_client(call: Request) -> Response:
    """One client."""
    return Response(wrapped("client", await service.read_client(call.tenant, call.ids["client_id"])))


@routes.patch(
    "/clients/{client_id}", takes=CLIENT.json_schema(partial=True), answers=schemas.SAVED, statuses=[403, 422]
)
async def update_client(call: Request) -> Response:
    """Change a client: only what is supplied changes, null clears."""
    client_id = call.ids["client_id"]
    reading = await service.update_client(call.tenant, client_id, call.body)
    return saved(UPDATED, id=client_id, warnings=reading.warnings)
