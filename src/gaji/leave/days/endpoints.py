"""Leave day endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import Integer, JsonSchema
from gaji.leave.days import service
from gaji.leave.days.schemas import LEAVE_DAY, LEAVE_DAY_IDS, LEAVE_DAYS
from gaji.periods.parameters import LATE
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS, QueryParameter, date_range

router = Router("Leave")

DATE: JsonSchema = {"type": "string", "format": "date"}
_DAY: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "type_id": json_schemas.IDENTIFIER,
    "type": {"type": "string"},
    "date": DATE,
    "hours": {"type": ["number", "null"], "description": "Null for the whole day."},
    "days": {"type": "number", "description": "Its length in days, by the working hours of that date."},
    "payslip_id": {"type": ["integer", "null"], "description": "The regular payslip of the period, if any."},
}
ELEMENT: JsonSchema = {"type": "object", "title": "LeaveDay", "required": list(_DAY), "properties": _DAY}
EXAMPLE = {
    "id": 31,
    "employee_id": 4,
    "type_id": 1,
    "type": "annual_leave",
    "date": "2026-05-04",
    "hours": 4,
    "days": 0.5,
    "payslip_id": 7,
}
CREATED_MANY: JsonSchema = {
    **json_schemas.SAVED_MANY,
    "examples": [{"message": "2 leave days have been created", "ids": [31, 32]}],
}
DELETED_MANY: JsonSchema = {**json_schemas.DELETED, "examples": [{"message": "2 leave days have been deleted"}]}


@router.get(
    "/employees/{employee_id}/leave_days",
    response_schema=json_schemas.list_schema("leave_day", ELEMENT),
    query=[
        IDS,
        *date_range("date"),
        QueryParameter("type_id", Integer(minimum=1), "Only the days of this leave type."),
    ],
    paged=True,
    has_changes=True,
    example=[{"leave_day": EXAMPLE}],
    allows_replica=True,
)
async def list_leave_days(request: Request) -> Response:
    """List the leave days of an employee. Days outside service are left out."""
    employee_id = request.ids["employee_id"]
    if request.changes is not None:
        changed = await service.list_changed_days(request.tenant, employee_id, request.changes)
        return request.changes_response("leave_day", changed)
    days = await service.list_days(request.tenant, employee_id, request.page, request.parameters)
    return request.list_response("leave_day", days)


@router.post(
    "/employees/{employee_id}/leave_days",
    body_schema=LEAVE_DAY.json_schema(),
    response_schema=json_schemas.SAVED,
    query=[LATE],
)
async def create_leave_day(request: Request) -> Response:
    """Record a leave day, or some hours of one."""
    late = request.parameters.get("late", False)
    day_id, validated = await service.create_day(request.tenant, request.ids["employee_id"], request.body, late=late)
    return saved_response("The leave day has been created", id=day_id, warnings=validated.warnings)


@router.post(
    "/employees/{employee_id}/leave_days/create_multiple",
    body_schema=LEAVE_DAYS.json_schema(),
    response_schema=CREATED_MANY,
    query=[LATE],
)
async def create_leave_days(request: Request) -> Response:
    """Record several leave days. Either all are recorded or none."""
    late = request.parameters.get("late", False)
    ids, validated = await service.create_days(request.tenant, request.ids["employee_id"], request.body, late=late)
    message = "1 leave day has been created" if len(ids) == 1 else f"{len(ids)} leave days have been created"
    return saved_response(message, ids=ids, warnings=validated.warnings)


@router.post(
    "/employees/{employee_id}/leave_days/delete_multiple",
    body_schema=LEAVE_DAY_IDS.json_schema(),
    response_schema=DELETED_MANY,
    query=[LATE],
)
async def delete_leave_days(request: Request) -> Response:
    """Delete several leave days. Either all are deleted or none."""
    late = request.parameters.get("late", False)
    validated = await service.delete_days(request.tenant, request.ids["employee_id"], request.body, late=late)
    deleted = len(set(validated.data.ids))
    message = "1 leave day has been deleted" if deleted == 1 else f"{deleted} leave days have been deleted"
    return saved_response(message, warnings=validated.warnings)


@router.patch(
    "/leave_days/{leave_day_id}",
    body_schema=LEAVE_DAY.json_schema(partial=True),
    body_example={"hours": 4},
    response_schema=json_schemas.SAVED,
    query=[LATE],
)
async def update_leave_day(request: Request) -> Response:
    """Update a leave day."""
    day_id = request.ids["leave_day_id"]
    late = request.parameters.get("late", False)
    validated = await service.update_day(request.tenant, day_id, request.body, late=late)
    return saved_response("The leave day has been updated", id=day_id, warnings=validated.warnings)


@router.delete("/leave_days/{leave_day_id}", response_schema=json_schemas.DELETED, query=[LATE])
async def delete_leave_day(request: Request) -> Response:
    """Delete a leave day."""
    late = request.parameters.get("late", False)
    warnings = await service.delete_day(request.tenant, request.ids["leave_day_id"], late=late)
    return saved_response("The leave day has been deleted", warnings=warnings)
