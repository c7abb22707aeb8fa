"""Leave adjustment endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import Integer, JsonSchema
from gaji.leave.adjustments import service
from gaji.leave.adjustments.schemas import LEAVE_ADJUSTMENT
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter, date_range

router = Router("Leave")

_ADJUSTMENT: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "type_id": json_schemas.IDENTIFIER,
    "type": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "days": {"type": "number"},
    "reason": {"type": "string"},
}
ELEMENT: JsonSchema = {
    "type": "object",
    "title": "LeaveAdjustment",
    "required": list(_ADJUSTMENT),
    "properties": _ADJUSTMENT,
}
EXAMPLE = json_schemas.resource_example(LEAVE_ADJUSTMENT, id=3, employee_id=4) | {"type": "childcare_leave"}


@router.get(
    "/employees/{employee_id}/leave_adjustments",
    response_schema=json_schemas.list_schema("leave_adjustment", ELEMENT),
    query=[
        IDS,
        *date_range("date"),
        QueryParameter("type_id", Integer(minimum=1), "Only adjustments of this leave type."),
    ],
    paged=True,
    has_changes=True,
    example=[{"leave_adjustment": EXAMPLE}],
    allows_replica=True,
)
async def list_leave_adjustments(request: Request) -> Response:
    """List the leave adjustments of an employee."""
    employee_id = request.ids["employee_id"]
    if request.changes is not None:
        changed = await service.list_changed_adjustments(request.tenant, employee_id, request.changes)
        return request.changes_response("leave_adjustment", changed)
    adjustments = await service.list_adjustments(request.tenant, employee_id, request.page, request.parameters)
    return request.list_response("leave_adjustment", adjustments)


@router.post(
    "/employees/{employee_id}/leave_adjustments",
    body_schema=LEAVE_ADJUSTMENT.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_leave_adjustment(request: Request) -> Response:
    """Grant days of leave to an employee, or deduct them."""
    adjustment_id, validated = await service.create_adjustment(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The leave adjustment has been created", id=adjustment_id, warnings=validated.warnings)


@router.patch(
    "/leave_adjustments/{adjustment_id}",
    body_schema=LEAVE_ADJUSTMENT.json_schema(partial=True),
    body_example={"days": 6},
    response_schema=json_schemas.SAVED,
)
async def update_leave_adjustment(request: Request) -> Response:
    """Update a leave adjustment."""
    adjustment_id = request.ids["adjustment_id"]
    validated = await service.update_adjustment(request.tenant, adjustment_id, request.body)
    return saved_response("The leave adjustment has been updated", id=adjustment_id, warnings=validated.warnings)


@router.delete("/leave_adjustments/{adjustment_id}", response_schema=json_schemas.DELETED)
async def delete_leave_adjustment(request: Request) -> Response:
    """Delete a leave adjustment."""
    await service.delete_adjustment(request.tenant, request.ids["adjustment_id"])
    return saved_response("The leave adjustment has been deleted")
