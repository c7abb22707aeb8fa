"""Employees over HTTP."""

from collections.abc import Set

import msgspec

from gaji.core.errors import INVALID, invalid
from gaji.core.validation import JsonSchema, ValidatedInput
from gaji.db.json_lists import wrapped
from gaji.people.employees import payslip_schemas as payslips
from gaji.people.employees.recent_payslips import CalculationPending
from gaji.people.employees import service
from gaji.people.employees.schemas import EMPLOYEE
from gaji.people.employees.service import INCLUDES
from gaji.people.service_periods import schemas as service_periods
from gaji.people.wave_periods import schemas as wave_periods
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, saved

routes = Router("Employees")

SAVED = "The employee has been saved"
"""One text for creating and updating."""
NOT_YET = "Some payslips still wait for calculation; please try again shortly"

EXAMPLE = schemas.example(EMPLOYEE, id=4) | {
    "client_id": 1,
    "number": "4",
    "custom_fields": {"12": "1"},
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
ELEMENT: JsonSchema = schemas.read_form(EMPLOYEE, "Employee")
ELEMENT["properties"]["number"] = {"type": "string"}
ELEMENT["properties"]["custom_fields"] = {
    "type": "object",
    "additionalProperties": {"type": ["string", "boolean"]},
    "description": "Values of the client's own fields, by field ID.",
}
ELEMENT["properties"] |= {
    "recent_payslips": schemas.array_of("payslip", payslips.PAYSLIP_SCHEMA),
    "recent_payslips_with_data": schemas.array_of("payslip", payslips.PAYSLIP_WITH_DATA_SCHEMA),
    "service_periods": schemas.array_of("service_period", service_periods.ELEMENT),
    "wave_periods": schemas.array_of("wave_period", wave_periods.ELEMENT),
}
SAVED_SCHEMA: JsonSchema = {
    **schemas.SAVED,
    "required": ["message", "id", "number"],
    "properties": {**schemas.SAVED["properties"], "number": {"type": "string"}},
    "examples": [{"message": SAVED, "id": 4, "number": "4"}],
}
INCLUDE = QueryParameter(
    "include",
    {"type": "string"},
    "Comma-separated: `service_periods` (all), `wave_periods`, `recent_payslips` (the last 12), "
    "`recent_payslips_with_data` (the last 12 with their items).",
)


@routes.get(
    "/clients/{client_id}/employees",
    answers=schemas.array_of("employee", ELEMENT),
    query=[INCLUDE],
    paged=True,
    by_rules=True,
    not_yet="With `recent_payslips_with_data`, while some of the payslips wait for calculation",
    statuses=[422],
    example=[{"employee": EXAMPLE}],
)
async def list_employees(call: Request) -> Response:
    """The employees of a client."""
    try:
        found = await service.list_employees(call.tenant, call.ids["client_id"], _include(call), call.page)
    except CalculationPending:
        return Response(msgspec.json.encode({"message": NOT_YET}), status=202)
    return call.listed("employee", (found.elements, found.total)).by_rules(found.rules_versions)


@routes.get("/employees/{employee_id}", answers=schemas.wrapped("employee", ELEMENT), example={"employee": EXAMPLE})
async def read_employee(call: Request) -> Response:
    """One employee."""
    return Response(wrapped("employee", await service.read_employee(call.tenant, call.ids["employee_id"])))


@routes.post(
    "/clients/{client_id}/employees",
    takes=schemas.wrapped("employee", EMPLOYEE.json_schema()),
    answers=SAVED_SCHEMA,
    statuses=[422],
)
async def create_employee(call: Request) -> Response:
    """Add an employee to a client."""
    employee_id, reading = await service.create_employee(call.tenant, call.ids["client_id"], call.body)
    return _saved(employee_id, reading)


@routes.patch(
    "/employees/{employee_id}",
    takes=schemas.wrapped("employee", EMPLOYEE.json_schema(partial=True)),
    answers=SAVED_SCHEMA,
    statuses=[409, 422],
)
async def update_employee(call: Request) -> Response:
    """Change an employee: only what is supplied changes, null clears."""
    employee_id = call.ids["employee_id"]
    return _saved(employee_id, await service.update_employee(call.tenant, employee_id, call.body))


@routes.delete("/employees/{employee_id}", answers=schemas.DELETED, statuses=[409])
async def delete_employee(call: Request) -> Response:
    """Remove an employee who was never paid."""
    await service.delete_employee(call.tenant, call.ids["employee_id"])
    return saved("The employee has been deleted")


def _saved(employee_id: int, reading: ValidatedInput) -> Response:
    return saved(SAVED, id=employee_id, number=reading.record["number"], warnings=reading.warnings)


def _include(call: Request) -> Set[str]:
    given = {name.strip() for value in call.query.get("include", ()) for name in value.split(",") if name.strip()}
    if unknown := given - set(INCLUDES):
        raise invalid(
            "include", INVALID, reason=f"{', '.join(sorted(unknown))[:100]}: must be of {', '.join(INCLUDES)}"
        )
    return given
