"""Leave types and their policies over HTTP."""

from gaji.core.errors import Errors, ValidationError
from gaji.core.law_loader import law
from gaji.core.validation import JsonSchema
from gaji.leave.dates import queried_day
from gaji.leave.types import service
from gaji.leave.types.policy_rules import POLICY
from gaji.leave.types.rules import LEAVE_TYPE
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, answer, saved

routes = Router("Leave")

TYPES: JsonSchema = {
    "type": "object",
    "title": "LeaveTypes",
    "additionalProperties": {"type": "string"},
    "description": "The names of leave types, by ID.",
}
_DAYS: JsonSchema = {"type": "number", "minimum": 0}


def _steps(measure: str) -> JsonSchema:
    step = {measure: {"type": "integer"}, "days": _DAYS}
    return {"type": "array", "items": {"type": "object", "required": list(step), "properties": step}}


_CARRY_OVER: JsonSchema = {
    "limit": {"type": ["number", "null"]},
    "expiry_months": {"type": ["integer", "null"], "minimum": 1, "maximum": 12},
}
_POLICY: JsonSchema = {
    "entitlement": _steps("year"),
    "accrual": {"enum": ["monthly", "yearly", "none"]},
    "least_months": {"type": "integer", "minimum": 0},
    "first_year": {**_steps("months"), "type": ["array", "null"]},
    "carry_over": {"type": "object", "required": list(_CARRY_OVER), "properties": _CARRY_OVER},
    **{name: {"type": "boolean"} for name in ("prorate", "below_zero", "paid")},
    "effective_date": {
        "type": ["string", "null"],
        "format": "date",
        "description": "From when it holds; null where it is that of the law from the beginning.",
    },
}
ELEMENT: JsonSchema = {"type": "object", "title": "LeavePolicy", "required": list(_POLICY), "properties": _POLICY}
EXAMPLE = schemas.example(POLICY) | {"first_year": None}
ON = QueryParameter("date", {"type": "string", "format": "date"}, "The day on which it holds; today unless given.")


@routes.get(
    "/clients/{client_id}/leave_types",
    answers=TYPES,
    example={"1": "annual_leave", "2": "sick_leave", "14": "study_leave"},
)
async def list_leave_types(call: Request) -> Response:
    """The leave types of a client: names by ID."""
    return answer(await service.list_types(call.tenant, call.ids["client_id"]))


@routes.post("/clients/{client_id}/leave_types", takes=LEAVE_TYPE.json_schema(), answers=schemas.SAVED, statuses=[422])
async def create_leave_type(call: Request) -> Response:
    """Add a leave type to a client."""
    type_id, reading = await service.create_type(call.tenant, call.ids["client_id"], call.body)
    return saved("The leave type has been created", id=type_id, warnings=reading.warnings)


@routes.patch(
    "/leave_types/{type_id}", takes=LEAVE_TYPE.json_schema(partial=True), answers=schemas.SAVED, statuses=[422]
)
async def update_leave_type(call: Request) -> Response:
    """Rename a leave type."""
    type_id = call.ids["type_id"]
    reading = await service.rename_type(call.tenant, type_id, call.body)
    return saved("The leave type has been updated", id=type_id, warnings=reading.warnings)


@routes.delete("/leave_types/{type_id}", answers=schemas.DELETED, statuses=[409])
async def delete_leave_type(call: Request) -> Response:
    """Remove a leave type that was added and that nobody uses."""
    await service.delete_type(call.tenant, call.ids["type_id"])
    return saved("The leave type has been deleted")


@routes.get(
    "/leave_types/{type_id}/policy",
    answers=schemas.wrapped("policy", ELEMENT),
    query=[ON],
    by_rules=True,
    statuses=[422],
    example={"policy": EXAMPLE},
)
async def read_leave_policy(call: Request) -> Response:
    """The policy of a leave type that holds on a day."""
    errors: Errors = Errors()
    on = queried_day(call.query, "date", errors)
    if errors:
        raise ValidationError(errors)
    found = await service.read_policy(call.tenant, call.ids["type_id"], on)
    return answer({"policy": found}).by_rules([law().rules_version])


@routes.put("/leave_types/{type_id}/policy", takes=POLICY.json_schema(), answers=schemas.SAVED, statuses=[409, 422])
async def replace_leave_policy(call: Request) -> Response:
    """Give a leave type a policy from a day on; what holds before that day stays."""
    type_id = call.ids["type_id"]
    reading = await service.replace_policy(call.tenant, type_id, call.body)
    return saved("The leave policy has been saved", id=type_id, warnings=reading.warnings)
