"""Take-on balance endpoints."""

from gaji.core import json_schemas
from gaji.people.take_on import service
from gaji.people.take_on.schemas import TAKE_ON, TAKE_ON_SCHEMA
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Take-on balances")


@router.get(
    "/employees/{employee_id}/take_on_balances",
    response_schema=TAKE_ON_SCHEMA,
    example=json_schemas.resource_example(TAKE_ON),
)
async def read_take_on_balances(request: Request) -> Response:
    """Return the take-on balances of an employee."""
    return json_response(await service.read_take_on(request.tenant, request.ids["employee_id"]))


@router.put(
    "/employees/{employee_id}/take_on_balances",
    body_schema=TAKE_ON.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def replace_take_on_balances(request: Request) -> Response:
    """Replace the take-on balances of an employee."""
    employee_id = request.ids["employee_id"]
    validated = await service.replace_take_on(request.tenant, employee_id, request.body)
    return saved_response("The take-on balances have been saved", id=employee_id, warnings=validated.warnings)
