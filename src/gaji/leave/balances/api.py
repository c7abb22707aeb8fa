"""Leave balances and movements over HTTP."""

from gaji.core.errors import Invalid
from gaji.core.law_loader import law
from gaji.core.validation import Faults, Integer, Schema
from gaji.db.json_lists import cut, json_text
from gaji.engine.leave.movements import Kind
from gaji.leave.balances import service
from gaji.leave.dates import queried_day
from gaji.web import schemas
from gaji.web.operations import Answer, Call, QueryParameter, Routes, answer

routes = Routes("Leave")

DATE: Schema = {"type": "string", "format": "date"}
BALANCES: Schema = {
    "type": "object",
    "title": "LeaveBalances",
    "additionalProperties": {"type": "number"},
    "description": "Days, by leave type ID.",
}
_MOVEMENT: Schema = {
    "date": DATE,
    "type_id": schemas.IDENTIFIER,
    "type": {"type": "string"},
    "kind": {"enum": [kind.value for kind in Kind]},
    "days": {"type": "number", "description": "Below zero where the balance falls."},
    "balance": {"type": "number", "description": "What the movement leaves of the type."},
    "reason": {"type": "string"},
}
MOVEMENT: Schema = {"type": "object", "title": "LeaveMovement", "required": list(_MOVEMENT), "properties": _MOVEMENT}
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
async def read_leave_balances(call: Call) -> Answer:
    """The leave balances of an employee on a date: days by leave type ID."""
    faults: Faults = {}
    on = queried_day(call.query, "date", faults)
    if faults:
        raise Invalid(faults)
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
async def list_leave_movements(call: Call) -> Answer:
    """Every movement that the leave balances of an employee are the sum of."""
    faults: Faults = {}
    first, last = (queried_day(call.query, name, faults) for name in ("from", "to"))
    type_id = Integer(least=1).read(call.query["type_id"][0], "type_id", faults) if "type_id" in call.query else None
    if faults:
        raise Invalid(faults)
    found = await service.list_movements(call.tenant, call.ids["employee_id"], first, last, type_id)
    elements = [json_text(movement) for movement in found]
    return call.listed("leave_movement", cut(elements, call.page)).by_rules([law().rules_version])
