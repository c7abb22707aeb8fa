"""Leave balance and movement endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import DateType, Integer, JsonSchema
from gaji.core.law_loader import current_law
from gaji.db.json_lists import json_text, slice_page
from gaji.engine.leave.movements import MovementKind
from gaji.leave.balances import service
from gaji.web.operations import Request, Response, Router, json_response
from gaji.web.query_parameters import QueryParameter

router = Router("Leave")

DATE: JsonSchema = {"type": "string", "format": "date"}
BALANCES: JsonSchema = {
    "type": "object",
    "title": "LeaveBalances",
    "additionalProperties": {"type": "number"},
    "description": "Days, by leave type ID.",
}
_MOVEMENT: JsonSchema = {
    "date": DATE,
    "type_id": json_schemas.IDENTIFIER,
    "type": {"type": "string"},
    "kind": {"enum": [kind.value for kind in MovementKind]},
    "days": {"type": "number", "description": "Negative if the balance decreases."},
    "balance": {"type": "number", "description": "The balance of the type after the movement."},
    "reason": {"type": "string"},
}
MOVEMENT: JsonSchema = {
    "type": "object",
    "title": "LeaveMovement",
    "required": list(_MOVEMENT),
    "properties": _MOVEMENT,
}
EXAMPLE = {
    "date": "2026-03-31",
    "type_id": 1,
    "type": "annual_leave",
    "kind": "accrual",
    "days": 2,
    "balance": 2,
    "reason": "3 completed months of year 1 of service at 7 days a year",
}


@router.get(
    "/employees/{employee_id}/leave_balances",
    response_schema=BALANCES,
    query=[QueryParameter("date", DateType(), "The date of the balance, past or future. Default: today.")],
    has_rules_version=True,
    example={"1": 7, "2": 13.5, "3": 59.5},
)
async def read_leave_balances(request: Request) -> Response:
    """Retrieve the leave balances of an employee on a date: days by leave type ID."""
    employee_id, as_of = request.ids["employee_id"], request.parameters.get("date")
    balances = await service.read_balances(request.tenant, employee_id, as_of)
    return json_response(balances).with_rules_version([current_law().rules_version])


@router.get(
    "/employees/{employee_id}/leave_movements",
    response_schema=json_schemas.list_schema("leave_movement", MOVEMENT),
    query=[
        QueryParameter("from", DateType(), "The first date. Default: no limit."),
        QueryParameter("to", DateType(), "The last date, past or future. Default: today."),
        QueryParameter("type_id", Integer(minimum=1), "A leave type. Default: all."),
    ],
    paged=True,
    has_rules_version=True,
    example=[{"leave_movement": EXAMPLE}],
)
async def list_leave_movements(request: Request) -> Response:
    """List the movements that add up to the leave balances of an employee."""
    first, last, type_id = (request.parameters.get(name) for name in ("from", "to", "type_id"))
    movements = await service.list_movements(request.tenant, request.ids["employee_id"], first, last, type_id)
    elements = [json_text(movement) for movement in movements]
    response = request.list_response("leave_movement", slice_page(elements, request.page))
    return response.with_rules_version([current_law().rules_version])
