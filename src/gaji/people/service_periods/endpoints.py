"""Service period endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.db.json_lists import slice_page
from gaji.people.service_periods import service
from gaji.people.service_periods.schemas import (
    END_SERVICE,
    REINSTATE,
    SERVICE_PERIOD_EXAMPLE,
    SERVICE_PERIOD_SCHEMA,
)
from gaji.periods.parameters import LATE
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

router = Router("Service periods")


TERMINATION: JsonSchema = {
    **END_SERVICE.json_schema(partial=True),
    "title": END_SERVICE.title,
    "required": ["termination_date", "termination_code"],
}
"""Without defaults, because what is not sent keeps its value when the termination is changed."""


@router.get(
    "/employees/{employee_id}/service_periods",
    response_schema=json_schemas.list_schema("service_period", SERVICE_PERIOD_SCHEMA),
    query=[IDS],
    paged=True,
    example=[{"service_period": SERVICE_PERIOD_EXAMPLE}],
)
async def list_service_periods(request: Request) -> Response:
    """List the service periods of an employee."""
    periods = await service.list_service_periods(request.tenant, request.ids["employee_id"], request.parameters)
    return request.list_response("service_period", slice_page(periods, request.page))


@router.post(
    "/employees/{employee_id}/service_periods/end_service",
    body_schema=json_schemas.wrapped_schema("employee_action", TERMINATION),
    response_schema=json_schemas.DONE,
    query=[LATE],
)
async def end_service(request: Request) -> Response:
    """End the service of an employee, or change the recorded termination."""
    employee_id, late = request.ids["employee_id"], request.parameters.get("late", False)
    message, validated = await service.end_service(request.tenant, employee_id, request.body, late=late)
    return saved_response(message, warnings=validated.warnings)


@router.post(
    "/employees/{employee_id}/service_periods/reinstate",
    body_schema=json_schemas.wrapped_schema("employee_action", REINSTATE.json_schema()),
    response_schema=json_schemas.DONE,
)
async def reinstate(request: Request) -> Response:
    """Start a new service of a former employee."""
    message, validated = await service.reinstate(request.tenant, request.ids["employee_id"], request.body)
    return saved_response(message, warnings=validated.warnings)


@router.delete(
    "/employees/{employee_id}/service_periods/undo_end_service",
    response_schema=json_schemas.DELETED,
)
async def undo_end_service(request: Request) -> Response:
    """Cancel the latest termination of an employee."""
    return saved_response(await service.undo_end_service(request.tenant, request.ids["employee_id"]))
