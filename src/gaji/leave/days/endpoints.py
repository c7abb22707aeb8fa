"""Days of leave over HTTP."""

from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import JsonSchema
from gaji.leave.dates import queried_day
from gaji.leave.days import service
from gaji.leave.days.rules import LEAVE_DAY, LEAVE_DAYS
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, saved

routes = Router("Leave")

DATE: JsonSchema = {"type": "string", "format": "date"}
_DAY: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "employee_id": schemas.IDENTIFIER,
    "type_id": schemas.IDENTIFIER,
    "type": {"type": "string"},
    "date": DATE,
    "hours": {"type": ["number", "null"], "description": "Null for the whole day."},
    "days": {"type": "number", "description": "What it counts by the regular hours of that date."},
    "payslip_id": {"type": ["integer", "null"], "description": "The regular payslip of the period, if there is one."},
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
SAVED_MANY: JsonSchema = {
    "type": "object",
    "required": ["message", "ids"],
    "properties": {
        "message": schemas.MESSAGE,
        "ids": {"type": "array", "items": schemas.IDENTIFIER},
        "warnings": schemas.WARNINGS,
    },
    "examples": [{"message": "2 leave days have been created", "ids": [31, 32]}],
}


@routes.get(
    "/employees/{employee_id}/leave_days",
    answers=schemas.array_of("leave_day", ELEMENT),
    query=[
        QueryParameter("from", DATE, "The first date; all unless given."),
        QueryParameter("to", DATE, "The last date; all unless given."),
    ],
    paged=True,
    statuses=[422],
    example=[{"leave_day": EXAMPLE}],
)
async def list_leave_days(call: Request) -> Response:
    """The leave days of an employee; those outside of service are left out."""
    errors: Errors = Errors()
    first, last = (queried_day(call.query, name, errors) for name in ("from", "to"))
    if errors:
        raise ValidationError(errors)
    found = await service.list_days(call.tenant, call.ids["employee_id"], first, last, call.page)
    return call.listed("leave_day", found)


@routes.post(
    "/employees/{employee_id}/leave_days",
    takes=LEAVE_DAY.json_schema(),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def create_leave_day(call: Request) -> Response:
    """Record a day of leave, or some hours of one."""
    day_id, reading = await service.create_day(call.tenant, call.ids["employee_id"], call.body)
    return saved("The leave day has been created", id=day_id, warnings=reading.warnings)


@routes.post(
    "/employees/{employee_id}/leave_days/create_multiple",
    takes=LEAVE_DAYS.json_schema(),
    answers=SAVED_MANY,
    statuses=[409, 422],
)
async def create_leave_days(call: Request) -> Response:
    """Record several days of leave, all or none of them."""
    ids, reading = await service.create_days(call.tenant, call.ids["employee_id"], call.body)
    told = "1 leave day has been created" if len(ids) == 1 else f"{len(ids)} leave days have been created"
    return saved(told, ids=ids, warnings=reading.warnings)


@routes.patch(
    "/leave_days/{leave_day_id}",
    takes=LEAVE_DAY.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_leave_day(call: Request) -> Response:
    """Change a day of leave."""
    day_id = call.ids["leave_day_id"]
    reading = await service.update_day(call.tenant, day_id, call.body)
    return saved("The leave day has been updated", id=day_id, warnings=reading.warnings)


@routes.delete("/leave_days/{leave_day_id}", answers=schemas.DELETED, statuses=[409])
async def delete_leave_day(call: Request) -> Response:
    """Take a day of leave back."""
    await service.delete_day(call.tenant, call.ids["leave_day_id"])
    return saved("The leave day has been deleted")
