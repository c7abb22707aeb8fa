"""Service periods over HTTP."""

from gaji.core.validation import JsonSchema, Schema
from gaji.db.json_lists import cut
from gaji.people.service_periods import service
from gaji.people.service_periods.rules import END_SERVICE, REINSTATE
from gaji.people.service_periods.schemas import ELEMENT
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Service periods")

EXAMPLE = {
    "id": 5,
    "employee_id": 4,
    "start_date": "2024-02-01",
    "end_date": "2026-03-31",
    "negative": False,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "attribs": {"ir21": False},
    "termination_code": 1,
}


def _action(catalogue: Schema) -> JsonSchema:
    return schemas.wrapped(catalogue.resource, catalogue.json_schema())


@routes.get(
    "/employees/{employee_id}/service_periods",
    answers=schemas.array_of("service_period", ELEMENT),
    paged=True,
    example=[{"service_period": EXAMPLE}],
)
async def list_service_periods(call: Request) -> Response:
    """The service periods of an employee."""
    periods = await service.list_service_periods(call.tenant, call.ids["employee_id"])
    return call.listed("service_period", cut(periods, call.page))


@routes.post(
    "/employees/{employee_id}/service_periods/end_service",
    takes=_action(END_SERVICE),
    answers=schemas.DONE,
    statuses=[409, 422],
)
async def end_service(call: Request) -> Response:
    """End the service of an employee, or change what was recorded of its end."""
    message, reading = await service.end_service(call.tenant, call.ids["employee_id"], call.body)
    return saved(message, warnings=reading.warnings)


@routes.post(
    "/employees/{employee_id}/service_periods/reinstate",
    takes=_action(REINSTATE),
    answers=schemas.DONE,
    statuses=[409, 422],
)
async def reinstate(call: Request) -> Response:
    """Begin a new service of an employee who left."""
    message, reading = await service.reinstate(call.tenant, call.ids["employee_id"], call.body)
    return saved(message, warnings=reading.warnings)


@routes.delete("/employees/{employee_id}/service_periods/undo_end_service", answers=schemas.DELETED, statuses=[409])
async def undo_end_service(call: Request) -> Response:
    """Cancel the most recent termination of an employee."""
    return saved(await service.undo_end_service(call.tenant, call.ids["employee_id"]))
