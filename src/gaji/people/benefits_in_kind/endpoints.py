"""Benefit in kind endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.core.law_loader import current_law
from gaji.people.benefits_in_kind import service
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND, ELEMENT, EXAMPLE
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Benefits in kind")

YEAR = Integer(2000, 2199)


@router.get(
    "/employees/{employee_id}/benefits_in_kind",
    response_schema=json_schemas.list_schema("benefit_in_kind", ELEMENT),
    query=[IDS, QueryParameter("year", YEAR, "The year of income. Default: all years.")],
    paged=True,
    has_rules_version=True,
    example=[{"benefit_in_kind": EXAMPLE}],
)
async def list_benefits_in_kind(request: Request) -> Response:
    """List the benefits in kind of an employee, each with its taxable value."""
    benefits = await service.list_benefits(request.tenant, request.ids["employee_id"], request.page, request.parameters)
    return request.list_response("benefit_in_kind", benefits).with_rules_version([current_law().rules_version])


@router.post(
    "/employees/{employee_id}/benefits_in_kind",
    body_schema=BENEFIT_IN_KIND.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_benefit_in_kind(request: Request) -> Response:
    """Record a benefit in kind of an employee for Appendix 8A."""
    benefit_id, validated = await service.create_benefit(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The benefit in kind has been created", id=benefit_id, warnings=validated.warnings)


@router.patch(
    "/benefits_in_kind/{benefit_id}",
    body_schema=BENEFIT_IN_KIND.json_schema(partial=True),
    body_example={"description": "Company flat, two bedrooms"},
    response_schema=json_schemas.SAVED,
)
async def update_benefit_in_kind(request: Request) -> Response:
    """Update a benefit in kind."""
    benefit_id = request.ids["benefit_id"]
    validated = await service.update_benefit(request.tenant, benefit_id, request.body)
    return saved_response("The benefit in kind has been updated", id=benefit_id, warnings=validated.warnings)


@router.delete("/benefits_in_kind/{benefit_id}", response_schema=json_schemas.DELETED)
async def delete_benefit_in_kind(request: Request) -> Response:
    """Delete a benefit in kind."""
    await service.delete_benefit(request.tenant, request.ids["benefit_id"])
    return saved_response("The benefit in kind has been deleted")
