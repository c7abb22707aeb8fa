"""Constant list endpoints."""

from gaji.core import json_schemas
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import NotFound
from gaji.core.validation import MAX_NAME_LENGTH, suggest
from gaji.web.operations import Request, Response, Router, json_response

router = Router("Constants")

ENTRIES = {
    name: [{"value": entry.value, "name": entry.name} for entry in entries] for name, entries in CONSTANT_LISTS.items()
}


@router.get("/constants", response_schema=json_schemas.CONSTANTS, example={"gender": ENTRIES["gender"]})
async def list_constants(request: Request) -> Response:
    """Return every list of constants, by name."""
    async with request.tenant.read_only():
        return json_response(ENTRIES)


@router.get(
    "/constants/{list_name}",
    path_schemas={"list_name": {"title": "ConstantListName", "type": "string", "enum": sorted(ENTRIES)}},
    response_schema=json_schemas.CONSTANT_ENTRIES,
    example=ENTRIES["gender"],
)
async def read_constants(request: Request) -> Response:
    """Return one list of constants."""
    name = request.names["list_name"]
    async with request.tenant.read_only():
        if name in ENTRIES:
            return json_response(ENTRIES[name])
    suggestion = suggest(name, list(ENTRIES))
    hint = f" Did you mean {suggestion}?" if suggestion else f" The lists are: {', '.join(sorted(ENTRIES))}"
    raise NotFound(f"The list {name[:MAX_NAME_LENGTH]!r} does not exist.{hint}")
