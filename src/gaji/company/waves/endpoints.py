"""Wave endpoints."""

from gaji.company.waves import service
from gaji.company.waves.schemas import WAVE, WAVE_EXAMPLE, WAVE_SCHEMA
from gaji.core import json_schemas
from gaji.core.field_types import OneOf
from gaji.db.json_lists import wrap_element
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Waves")

SIMPLIFIED = "simplified"
FORMAT = QueryParameter(
    "format", OneOf([SIMPLIFIED], "format"), "`simplified` returns the frequency instead of lengths and offsets."
)


@router.get(
    "/clients/{client_id}/waves",
    response_schema=json_schemas.list_schema("wave", WAVE_SCHEMA),
    query=[IDS, FORMAT],
    paged=True,
    has_changes=True,
    example=[{"wave": WAVE_EXAMPLE}],
)
async def list_waves(request: Request) -> Response:
    """List the waves of a client."""
    client_id, simplified = request.ids["client_id"], _is_simplified(request)
    if request.changes is not None:
        changed = await service.list_changed_waves(request.tenant, client_id, simplified, request.changes)
        return request.changes_response("wave", changed)
    elements = await service.list_waves(request.tenant, client_id, simplified, request.page, request.parameters)
    return request.list_response("wave", elements)


@router.post(
    "/clients/{client_id}/waves",
    body_schema=WAVE.json_schema(),
    body_example={"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"},
    response_schema=json_schemas.SAVED,
)
async def create_wave(request: Request) -> Response:
    """Create a wave in a client."""
    wave_id, validated = await service.create_wave(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The wave has been created", id=wave_id, warnings=validated.warnings)


@router.get(
    "/waves/{wave_id}",
    response_schema=json_schemas.wrapped_schema("wave", WAVE_SCHEMA),
    query=[FORMAT],
    example={"wave": WAVE_EXAMPLE},
)
async def read_wave(request: Request) -> Response:
    """Return one wave."""
    element = await service.read_wave(request.tenant, request.ids["wave_id"], _is_simplified(request))
    return Response(wrap_element("wave", element))


@router.patch(
    "/waves/{wave_id}",
    body_schema=WAVE.json_schema(partial=True),
    body_example={"first_end_date": "2026-01-31"},
    response_schema=json_schemas.SAVED,
)
async def update_wave(request: Request) -> Response:
    """Update a wave. Its schedule cannot change after employees have been assigned to it."""
    wave_id = request.ids["wave_id"]
    validated = await service.update_wave(request.tenant, wave_id, request.body)
    return saved_response("The wave has been updated", id=wave_id, warnings=validated.warnings)


@router.delete("/waves/{wave_id}", response_schema=json_schemas.DELETED)
async def delete_wave(request: Request) -> Response:
    """Delete a wave without employees."""
    await service.delete_wave(request.tenant, request.ids["wave_id"])
    return saved_response("The wave has been deleted")


def _is_simplified(request: Request) -> bool:
    return request.parameters.get("format") == SIMPLIFIED
