"""Calculation definitions and discovery over HTTP."""

from gaji.core.validation import JsonSchema, Record
from gaji.db.json_lists import cut, json_text
from gaji.payroll.calculation_definitions import service
from gaji.payroll.calculation_definitions.rules import CALCULATION_DEFINITION
from gaji.payroll.calculation_definitions.schemas import (
    DEFINITION,
    DEFINITION_EXAMPLE,
    ITEM,
    ITEM_EXAMPLE,
    TYPE,
    TYPE_EXAMPLE,
)
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Calculation definitions")

TYPES: JsonSchema = {"type": "array", "items": TYPE}
ITEMS: JsonSchema = {"type": "array", "items": ITEM}


def _listed(call: Request, elements: list[Record]) -> Response:
    return call.listed_bare(cut([json_text(one) for one in elements], call.page))


@routes.get("/clients/{client_id}/calculation_types", answers=TYPES, paged=True, example=[TYPE_EXAMPLE])
async def list_calculation_types(call: Request) -> Response:
    """Every calculation type of a client, with its inputs and its treatment."""
    return _listed(call, await service.list_types(call.tenant, call.ids["client_id"]))


@routes.get("/clients/{client_id}/items_and_outputs", answers=ITEMS, paged=True, example=[ITEM_EXAMPLE])
async def list_items_and_outputs(call: Request) -> Response:
    """Every item that can stand on a payslip of a client."""
    return _listed(call, await service.list_items(call.tenant, call.ids["client_id"]))


@routes.get(
    "/clients/{client_id}/calculation_definitions",
    answers=schemas.array_of("calculation_definition", DEFINITION),
    paged=True,
    example=[{"calculation_definition": DEFINITION_EXAMPLE}],
)
async def list_calculation_definitions(call: Request) -> Response:
    """The custom items of a client."""
    found = await service.list_definitions(call.tenant, call.ids["client_id"], call.page)
    return call.listed("calculation_definition", found)


@routes.post(
    "/clients/{client_id}/calculation_definitions",
    takes=CALCULATION_DEFINITION.json_schema(),
    answers=schemas.SAVED,
    statuses=[422],
)
async def create_calculation_definition(call: Request) -> Response:
    """Add a custom item to a client."""
    definition_id, reading = await service.create_definition(call.tenant, call.ids["client_id"], call.body)
    return saved("The custom item has been created", id=definition_id, warnings=reading.warnings)


@routes.patch(
    "/calculation_definitions/{definition_id}",
    takes=CALCULATION_DEFINITION.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_calculation_definition(call: Request) -> Response:
    """Change a custom item."""
    definition_id = call.ids["definition_id"]
    reading = await service.update_definition(call.tenant, definition_id, call.body)
    return saved("The custom item has been updated", id=definition_id, warnings=reading.warnings)


@routes.delete("/calculation_definitions/{definition_id}", answers=schemas.DELETED, statuses=[409])
async def delete_calculation_definition(call: Request) -> Response:
    """Remove a custom item that nothing uses."""
    await service.delete_definition(call.tenant, call.ids["definition_id"])
    return saved("The custom item has been deleted")
