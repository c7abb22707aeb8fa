"""Leave balances and movements over HTTP."""

from gaji.core.errors import Errors, ValidationError
from gaji.core.law_loader import law
from gaji.core.validation import Integer, JsonSchema
from gaji.db.json_lists import cut, json_text
from gaji.engine.leave.movements import MovementKind
from gaji.leave.balances import service
from gaji.leave.dates import queried_day
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, answer

routes = Router("Leave")

DATE: JsonSchema = {"type": "string", "format": "date"}
BALANCES: JsonSchema = {
    "type": "object",
    "title": "LeaveBalances",
    "additionalProperties": {"type": "number"},
    "description": "Days, by leave type ID.",
}
_MOVEMENT: JsonSchema = {
    "date": DATE,
    "type_id": schemas.IDENTIFIER,
    "type": {"type": "string"},
    "kind": {"enum": [kind.value for kind in MovementKind]},
    "days": {"type": "number", "description": "Below zero where the balance falls."},
    "balance": {"type": "number", "description": "What the movement leaves of the type."},
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


@routes.get(
    "/employees/{employee_id}/leave_balances",
    answers=BALANCES,
    query=[QueryParameter("date", DATE, "The date of the balance, past or future; today unless given.")],
    by_rules=True,
    statuses=[422],
    example={"1": 7, "2": 13.5, "3": 59.5},
)
async def read_leave_balances(call: Request) -> Response:
    """The leave balances of an employee on a date: days by leave type ID."""
    errors: Errors = Errors()
    on = queried_day(call.query, "date", errors)
    if errors:
        raise ValidationError(errors)
    found = await service.read_balances(call.tenant, call.ids["employee_id"], on)
    return answer(found).by_rules([law().rules_version])


@routes.get(
    "/employees/{employee_id}/leave_movements",
    answers=schemas.array_of("leave_movement", MOVEMENT),
    query=[
        QueryParameter("from", DATE, "The first date; all from the beginning unless given."),
        QueryParameter("to", DATE, "The last date, past or future; today unless given."),
        QueryParameter("type_id", schemas.IDENTIFIER, "One leave type; all unless given."),
    ],
    paged=True,
    by_rules=True,
    statuses=[422],
    example=[{"leave_movement": EXAMPLE}],
)
async def list_leave_movements(call: Request) -> Response:
    """Every movement that the leave balances of an employee are the sum of."""
    errors: Errors = Errors()
    first, last = (queried_day(call.query, name, errors) for name in ("from", "to"))
    type_id = Integer(minimum=1).parse(call.query["type_id"][0], "type_id", errors) if "type_id" in call.query else None
    if errors:
        raise ValidationError(errors)
    found = await service.list_movements(call.tenant, call.ids["employee_id"], first, last, type_id)
    elements = [json_text(movement) for movement in found]
    return call.listed("leave_movement", cut(elements, call.page)).by_rules([law().rules_version])
