"""Leave adjustments over HTTP."""

from gaji.core.validation import JsonSchema
from gaji.leave.adjustments import service
from gaji.leave.adjustments.rules import LEAVE_ADJUSTMENT
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Leave")

_ADJUSTMENT: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "employee_id": schemas.IDENTIFIER,
    "type_id": schemas.IDENTIFIER,
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
EXAMPLE = schemas.example(LEAVE_ADJUSTMENT, id=3, employee_id=4) | {"type": "childcare_leave"}


@routes.get(
    "/employees/{employee_id}/leave_adjustments",
    answers=schemas.array_of("leave_adjustment", ELEMENT),
    paged=True,
    example=[{"leave_adjustment": EXAMPLE}],
)
async def list_leave_adjustments(call: Request) -> Response:
    """The leave adjustments of an employee."""
    found = await service.list_adjustments(call.tenant, call.ids["employee_id"], call.page)
    return call.listed("leave_adjustment", found)


@routes.post(
    "/employees/{employee_id}/leave_adjustments",
    takes=LEAVE_ADJUSTMENT.json_schema(),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def create_leave_adjustment(call: Request) -> Response:
    """Grant an employee days of leave, or take some back."""
    adjustment_id, reading = await service.create_adjustment(call.tenant, call.ids["employee_id"], call.body)
    return saved("The leave adjustment has been created", id=adjustment_id, warnings=reading.warnings)


@routes.patch(
    "/leave_adjustments/{adjustment_id}",
    takes=LEAVE_ADJUSTMENT.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_leave_adjustment(call: Request) -> Response:
    """Change a leave adjustment."""
    adjustment_id = call.ids["adjustment_id"]
    reading = await service.update_adjustment(call.tenant, adjustment_id, call.body)
    return saved("The leave adjustment has been updated", id=adjustment_id, warnings=reading.warnings)


@routes.delete("/leave_adjustments/{adjustment_id}", answers=schemas.DELETED, statuses=[409])
async def delete_leave_adjustment(call: Request) -> Response:
    """Take a leave adjustment back."""
    await service.delete_adjustment(call.tenant, call.ids["adjustment_id"])
    return saved("The leave adjustment has been deleted")
