"""Leave type and policy endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import DateType, JsonSchema
from gaji.core.law_loader import current_law
from gaji.engine.leave.policies import HolidayOffChoice
from gaji.leave.types import service
from gaji.leave.types.policy_schemas import POLICY
from gaji.leave.types.schemas import LEAVE_TYPE
from gaji.web.operations import Request, Response, Router, json_response, saved_response
from gaji.web.query_parameters import QueryParameter

router = Router("Leave")

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
    "leave_year_start": {"type": ["integer", "null"], "minimum": 1, "maximum": 12},
    "public_holidays_off": {"enum": [choice.value for choice in HolidayOffChoice]},
    "prorate_part_time": {"type": "boolean"},
    "full_time_week_hours": {"type": "number"},
    "full_time_day_hours": {"type": "number"},
    "effective_date": {
        "type": ["string", "null"],
        "format": "date",
        "description": "First day on which the policy applies. Null for the statutory policy.",
    },
}
ELEMENT: JsonSchema = {"type": "object", "title": "LeavePolicy", "required": list(_POLICY), "properties": _POLICY}
EXAMPLE = json_schemas.resource_example(POLICY) | {"first_year": None}
AS_OF = QueryParameter("date", DateType(), "The day on which the policy applies. Default: today.")


@router.get(
    "/clients/{client_id}/leave_types",
    response_schema=TYPES,
    example={"1": "annual_leave", "2": "sick_leave", "14": "study_leave"},
)
async def list_leave_types(request: Request) -> Response:
    """List the leave types of a client: names by ID."""
    return json_response(await service.list_types(request.tenant, request.ids["client_id"]))


@router.post(
    "/clients/{client_id}/leave_types",
    body_schema=LEAVE_TYPE.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_leave_type(request: Request) -> Response:
    """Create a leave type."""
    type_id, validated = await service.create_type(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The leave type has been created", id=type_id, warnings=validated.warnings)


@router.patch(
    "/leave_types/{type_id}",
    body_schema=LEAVE_TYPE.json_schema(partial=True),
    response_schema=json_schemas.SAVED,
)
async def update_leave_type(request: Request) -> Response:
    """Rename a leave type."""
    type_id = request.ids["type_id"]
    validated = await service.rename_type(request.tenant, type_id, request.body)
    return saved_response("The leave type has been updated", id=type_id, warnings=validated.warnings)


@router.delete("/leave_types/{type_id}", response_schema=json_schemas.DELETED)
async def delete_leave_type(request: Request) -> Response:
    """Delete a leave type that the client added and that is not in use."""
    await service.delete_type(request.tenant, request.ids["type_id"])
    return saved_response("The leave type has been deleted")


@router.get(
    "/leave_types/{type_id}/policy",
    response_schema=json_schemas.wrapped_schema("policy", ELEMENT),
    query=[AS_OF],
    has_rules_version=True,
    example={"policy": EXAMPLE},
)
async def read_leave_policy(request: Request) -> Response:
    """Retrieve the policy of a leave type that applies on a day."""
    policy = await service.read_policy(request.tenant, request.ids["type_id"], request.parameters.get("date"))
    return json_response({"policy": policy}).with_rules_version([current_law().rules_version])


@router.put(
    "/leave_types/{type_id}/policy",
    body_schema=POLICY.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def replace_leave_policy(request: Request) -> Response:
    """Set the policy of a leave type with effect from a day. Earlier policies stay in force before that day."""
    type_id = request.ids["type_id"]
    validated = await service.replace_policy(request.tenant, type_id, request.body)
    return saved_response("The leave policy has been saved", id=type_id, warnings=validated.warnings)
