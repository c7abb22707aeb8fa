"""Employee endpoints."""

import msgspec

from gaji.approvals.schemas import REQUESTED, approval_json
from gaji.core import json_schemas
from gaji.core.external_references import EXTERNAL_ID_TYPE
from gaji.core.field_types import Integer, JsonSchema, OneOf, Text
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import json_array, wrap_element
from gaji.people.employees import service
from gaji.people.employees.filters import LEFT, LOOKUPS, MAX_QUERY_LENGTH, SERVING
from gaji.people.employees.recent_payslips import CalculationPending
from gaji.people.employees.schemas import EMPLOYEE, EMPLOYEE_EXAMPLE, EMPLOYEE_SCHEMA, EmployeeInput
from gaji.people.employees.service import INCLUDES
from gaji.periods.parameters import LATE
from gaji.web.operations import Request, Response, Router, pending_response, saved_response
from gaji.web.query_parameters import IDS, CommaSeparated, QueryParameter

router = Router("Employees")

SAVED = "The employee has been saved"
ACCOUNT_PENDING = "The employee has been saved; the bank account changes when another person approves it"
ACCOUNT_PENDING_WHEN = (
    "The client requires approval and the body changes `bank_account` or `paynow`. These and `payment_method` change "
    "when another person approves it. The rest is saved."
)
PENDING = "Some payslips are still being calculated; try again shortly"

SAVED_SCHEMA: JsonSchema = {
    **json_schemas.SAVED,
    "title": "EmployeeSavedResponse",
    "required": ["message", "id", "number"],
    "properties": {**json_schemas.SAVED["properties"], "number": {"type": "string"}},
    "examples": [{"message": SAVED, "id": 4, "number": "4"}],
}
UPDATE_EXAMPLE = {"employee": {"job_title": "Supervisor", "metadata": {"badge": "B-1043"}}}
EXTERNAL_PATH = "/clients/{client_id}/employees/external/{external_id}"
EXTERNAL_PATH_SCHEMAS = {"external_id": EXTERNAL_ID_TYPE.json_schema()}
INCLUDE = QueryParameter(
    "include",
    CommaSeparated(INCLUDES),
    "Comma-separated: `service_periods`, `wave_periods`, `recent_payslips` (the last 12), "
    "`recent_payslips_with_data` (the last 12 with their items).",
    repeatable=True,
)

TYPES = {attribute.name: attribute.type for attribute in EMPLOYEE.attributes}
FILTERS = (
    IDS,
    QueryParameter("number", Text(min_length=1, max_length=50), "Only the employee with this payroll number."),
    QueryParameter("nric", TYPES["nric"], "Only the employee with this NRIC. 403 for keys that hide identifiers."),
    QueryParameter("fin", TYPES["fin"], "Only the employee with this FIN. 403 for keys that hide identifiers."),
    QueryParameter(
        "email", Text(min_length=1, max_length=254), "Only employees with exactly this email address, case included."
    ),
    QueryParameter("external_id", EXTERNAL_ID_TYPE, "Only the employee with this external ID."),
    QueryParameter(
        "search",
        Text(min_length=1, max_length=MAX_QUERY_LENGTH),
        "Only employees whose name, number, job title or email address contains each of these words.",
    ),
    QueryParameter("wave_id", Integer(minimum=1), "Only employees whose current wave is this one."),
    QueryParameter("pay_point_id", Integer(minimum=1), "Only employees of this pay point."),
    QueryParameter(
        "state",
        OneOf([SERVING, LEFT], "employee_state"),
        "`serving`: only employees whose last day of service is not over, joiners included. `left`: only the others.",
    ),
)
"""The query parameters that limit the list."""


@router.get(
    "/clients/{client_id}/employees",
    response_schema=json_schemas.list_schema("employee", EMPLOYEE_SCHEMA),
    query=[INCLUDE, *FILTERS],
    paged=True,
    has_changes=True,
    has_rules_version=True,
    pending_when="With `recent_payslips_with_data`, while some of the payslips are being calculated",
    error_statuses=[403],
    example=[{"employee": EMPLOYEE_EXAMPLE}],
    allows_replica=True,
)
async def list_employees(request: Request) -> Response:
    """List the employees of a client."""
    if len(request.parameters) == 1:
        [(name, value)] = request.parameters.items()
        if name in LOOKUPS:
            elements = await service.find_employees(request.tenant, request.ids["client_id"], name, value)
            return Response(json_array("employee", elements))
    if request.changes is not None:
        changed = await service.list_changed_employees(request.tenant, request.ids["client_id"], request.changes)
        return request.changes_response("employee", changed)
    include = frozenset(request.parameters.get("include", ()))
    try:
        page = await service.list_employees(
            request.tenant, request.ids["client_id"], include, request.page, request.parameters
        )
    except CalculationPending:
        return Response(msgspec.json.encode({"message": PENDING}), status=202)
    return request.list_response("employee", (page.elements, page.total)).with_rules_version(page.rules_versions)


@router.get(
    "/employees/{employee_id}",
    response_schema=json_schemas.wrapped_schema("employee", EMPLOYEE_SCHEMA),
    example={"employee": EMPLOYEE_EXAMPLE},
)
async def read_employee(request: Request) -> Response:
    """Return one employee."""
    return Response(wrap_element("employee", await service.read_employee(request.tenant, request.ids["employee_id"])))


@router.post(
    "/clients/{client_id}/employees",
    body_schema=json_schemas.wrapped_schema("employee", EMPLOYEE.json_schema()),
    response_schema=SAVED_SCHEMA,
)
async def create_employee(request: Request) -> Response:
    """Create an employee in a client."""
    employee_id, validated = await service.create_employee(request.tenant, request.ids["client_id"], request.body)
    return _saved(employee_id, validated)


@router.patch(
    "/employees/{employee_id}",
    body_schema=json_schemas.wrapped_schema("employee", EMPLOYEE.json_schema(partial=True)),
    body_example=UPDATE_EXAMPLE,
    response_schema=SAVED_SCHEMA,
    query=[LATE],
    pending_when=ACCOUNT_PENDING_WHEN,
    pending_schema=REQUESTED,
)
async def update_employee(request: Request) -> Response:
    """Update an employee. Only the supplied attributes change; null clears a value."""
    return await _update(request, request.ids["employee_id"])


@router.delete("/employees/{employee_id}", response_schema=json_schemas.DELETED)
async def delete_employee(request: Request) -> Response:
    """Delete an employee without finalised payslips."""
    await service.delete_employee(request.tenant, request.ids["employee_id"])
    return saved_response("The employee has been deleted")


@router.get(
    EXTERNAL_PATH,
    response_schema=json_schemas.wrapped_schema("employee", EMPLOYEE_SCHEMA),
    path_schemas=EXTERNAL_PATH_SCHEMAS,
    example={"employee": EMPLOYEE_EXAMPLE},
)
async def read_external_employee(request: Request) -> Response:
    """Return the employee with an external ID."""
    client_id, external_id = request.ids["client_id"], request.names["external_id"]
    elements = await service.find_employees(request.tenant, client_id, "external_id", external_id)
    if not elements:
        raise service.unknown_external_id(client_id, external_id)
    return Response(wrap_element("employee", elements[0]))


@router.patch(
    EXTERNAL_PATH,
    body_schema=json_schemas.wrapped_schema("employee", EMPLOYEE.json_schema(partial=True)),
    body_example=UPDATE_EXAMPLE,
    response_schema=SAVED_SCHEMA,
    path_schemas=EXTERNAL_PATH_SCHEMAS,
    query=[LATE],
    pending_when=ACCOUNT_PENDING_WHEN,
    pending_schema=REQUESTED,
)
async def update_external_employee(request: Request) -> Response:
    """Update the employee with an external ID. Only the supplied attributes change; null clears a value."""
    return await _update(request, await _find_external(request))


@router.delete(EXTERNAL_PATH, response_schema=json_schemas.DELETED, path_schemas=EXTERNAL_PATH_SCHEMAS)
async def delete_external_employee(request: Request) -> Response:
    """Delete the employee with an external ID, who has no finalised payslips."""
    await service.delete_employee(request.tenant, await _find_external(request))
    return saved_response("The employee has been deleted")


async def _find_external(request: Request) -> int:
    return await service.find_external_employee(request.tenant, request.ids["client_id"], request.names["external_id"])


async def _update(request: Request, employee_id: int) -> Response:
    late = request.parameters.get("late", False)
    validated, approval = await service.update_employee(request.tenant, employee_id, request.body, late=late)
    if approval is None:
        return _saved(employee_id, validated)
    element = approval_json(approval, hide_identifiers=request.tenant.caller.hide_identifiers)
    values = {"id": employee_id, "number": validated.data.number, "approval": element}
    return pending_response(ACCOUNT_PENDING, warnings=validated.warnings, **values)


def _saved(employee_id: int, validated: ValidatedInput[EmployeeInput]) -> Response:
    return saved_response(SAVED, id=employee_id, number=validated.data.number, warnings=validated.warnings)
