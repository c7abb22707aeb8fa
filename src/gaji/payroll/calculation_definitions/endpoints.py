"""Endpoints of calculation definitions, calculation types and payslip items."""

from gaji.core import json_schemas
from gaji.core.validation import Record
from gaji.db.json_lists import json_text, slice_page
from gaji.payroll.calculation_definitions import service
from gaji.payroll.calculation_definitions.schemas import (
    CALCULATION_DEFINITION,
    DEFINITION,
    DEFINITION_EXAMPLE,
    ITEM_EXAMPLE,
    ITEMS,
    TYPE_EXAMPLE,
    TYPES,
)
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

routes = Router("Calculation definitions")


def _list_response(request: Request, elements: list[Record]) -> Response:
    return request.bare_list_response(slice_page([json_text(element) for element in elements], request.page))


@routes.get("/clients/{client_id}/calculation_types", response_schema=TYPES, paged=True, example=[TYPE_EXAMPLE])
async def list_calculation_types(request: Request) -> Response:
    """List the calculation types of a client with their inputs and treatment."""
    return _list_response(request, await service.list_types(request.tenant, request.ids["client_id"]))


@routes.get("/clients/{client_id}/items_and_outputs", response_schema=ITEMS, paged=True, example=[ITEM_EXAMPLE])
async def list_items_and_outputs(request: Request) -> Response:
    """List the possible payslip items of a client."""
    return _list_response(request, await service.list_items(request.tenant, request.ids["client_id"]))


@routes.get(
    "/clients/{client_id}/calculation_definitions",
    response_schema=json_schemas.list_schema("calculation_definition", DEFINITION),
    query=[IDS],
    paged=True,
    example=[{"calculation_definition": DEFINITION_EXAMPLE}],
)
async def list_calculation_definitions(request: Request) -> Response:
    """List the custom items of a client."""
    definitions = await service.list_definitions(
        request.tenant, request.ids["client_id"], request.page, request.parameters
    )
    return request.list_response("calculation_definition", definitions)


@routes.post(
    "/clients/{client_id}/calculation_definitions",
    body_schema=CALCULATION_DEFINITION.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_calculation_definition(request: Request) -> Response:
    """Add a custom item to a client."""
    definition_id, validated = await service.create_definition(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The custom item has been created", id=definition_id, warnings=validated.warnings)


@routes.patch(
    "/calculation_definitions/{definition_id}",
    body_schema=CALCULATION_DEFINITION.json_schema(partial=True),
    body_example={"name": "Standby"},
    response_schema=json_schemas.SAVED,
)
async def update_calculation_definition(request: Request) -> Response:
    """Update a custom item."""
    definition_id = request.ids["definition_id"]
    validated = await service.update_definition(request.tenant, definition_id, request.body)
    return saved_response("The custom item has been updated", id=definition_id, warnings=validated.warnings)


@routes.delete("/calculation_definitions/{definition_id}", response_schema=json_schemas.DELETED)
async def delete_calculation_definition(request: Request) -> Response:
    """Delete an unused custom item."""
    await service.delete_definition(request.tenant, request.ids["definition_id"])
    return saved_response("The custom item has been deleted")
