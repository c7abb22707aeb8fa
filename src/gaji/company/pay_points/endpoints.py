"""Pay point endpoints."""

from gaji.company.pay_points import service
from gaji.company.pay_points.schemas import PAY_POINT, PAY_POINT_EXAMPLE, PAY_POINT_SCHEMA
from gaji.core import json_schemas
from gaji.core.external_references import EXTERNAL_ID_TYPE
from gaji.core.field_types import Text
from gaji.db.json_lists import wrap_element
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Pay points")

SEARCH = QueryParameter("search", Text(min_length=1, max_length=200), "Text that occurs in the name.")


@router.get(
    "/clients/{client_id}/pay_points",
    response_schema=json_schemas.list_schema("pay_point", PAY_POINT_SCHEMA),
    query=[IDS, SEARCH, QueryParameter("external_id", EXTERNAL_ID_TYPE, "Only the one with this external ID.")],
    paged=True,
    has_changes=True,
    example=[{"pay_point": PAY_POINT_EXAMPLE}],
)
async def list_pay_points(request: Request) -> Response:
    """List the pay points of a client."""
    client_id = request.ids["client_id"]
    if request.changes is not None:
        changed = await service.list_changed_pay_points(request.tenant, client_id, request.changes)
        return request.changes_response("pay_point", changed)
    elements = await service.list_pay_points(request.tenant, client_id, request.page, request.parameters)
    return request.list_response("pay_point", elements)


@router.post(
    "/clients/{client_id}/pay_points",
    body_schema=PAY_POINT.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_pay_point(request: Request) -> Response:
    """Create a pay point in a client."""
    pay_point_id, validated = await service.create_pay_point(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The pay point has been created", id=pay_point_id, warnings=validated.warnings)


@router.get(
    "/pay_points/{pay_point_id}",
    response_schema=json_schemas.wrapped_schema("pay_point", PAY_POINT_SCHEMA),
    example={"pay_point": PAY_POINT_EXAMPLE},
)
async def read_pay_point(request: Request) -> Response:
    """Return one pay point."""
    element = await service.read_pay_point(request.tenant, request.ids["pay_point_id"])
    return Response(wrap_element("pay_point", element))


@router.patch(
    "/pay_points/{pay_point_id}",
    body_schema=PAY_POINT.json_schema(partial=True),
    body_example={"name": "Changi outlet"},
    response_schema=json_schemas.SAVED,
)
async def update_pay_point(request: Request) -> Response:
    """Update a pay point. Only the supplied attributes change; null clears a value."""
    pay_point_id = request.ids["pay_point_id"]
    validated = await service.update_pay_point(request.tenant, pay_point_id, request.body)
    return saved_response("The pay point has been updated", id=pay_point_id, warnings=validated.warnings)


@router.delete("/pay_points/{pay_point_id}", response_schema=json_schemas.DELETED)
async def delete_pay_point(request: Request) -> Response:
    """Delete a pay point that is not in use."""
    await service.delete_pay_point(request.tenant, request.ids["pay_point_id"])
    return saved_response("The pay point has been deleted")
