"""Share gain endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.core.law_loader import current_law
from gaji.people.share_gains import service
from gaji.people.share_gains.schemas import ELEMENT, EXAMPLE, SHARE_GAIN
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Share gains")

YEAR = Integer(2000, 2199)


@router.get(
    "/employees/{employee_id}/share_gains",
    response_schema=json_schemas.list_schema("share_gain", ELEMENT),
    query=[IDS, QueryParameter("year", YEAR, "The year of income. Default: all years.")],
    paged=True,
    has_rules_version=True,
    example=[{"share_gain": EXAMPLE}],
)
async def list_share_gains(request: Request) -> Response:
    """List the share gains of an employee, each with its amount and its year of income."""
    gains = await service.list_gains(request.tenant, request.ids["employee_id"], request.page, request.parameters)
    return request.list_response("share_gain", gains).with_rules_version([current_law().rules_version])


@router.post(
    "/employees/{employee_id}/share_gains",
    body_schema=SHARE_GAIN.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_share_gain(request: Request) -> Response:
    """Record shares that an employee acquired, for Appendix 8B."""
    gain_id, validated = await service.create_gain(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The share gain has been created", id=gain_id, warnings=validated.warnings)


@router.patch(
    "/share_gains/{share_gain_id}",
    body_schema=SHARE_GAIN.json_schema(partial=True),
    body_example={"market_value": "10.50"},
    response_schema=json_schemas.SAVED,
)
async def update_share_gain(request: Request) -> Response:
    """Update a share gain."""
    gain_id = request.ids["share_gain_id"]
    validated = await service.update_gain(request.tenant, gain_id, request.body)
    return saved_response("The share gain has been updated", id=gain_id, warnings=validated.warnings)


@router.delete("/share_gains/{share_gain_id}", response_schema=json_schemas.DELETED)
async def delete_share_gain(request: Request) -> Response:
    """Delete a share gain."""
    await service.delete_gain(request.tenant, request.ids["share_gain_id"])
    return saved_response("The share gain has been deleted")
