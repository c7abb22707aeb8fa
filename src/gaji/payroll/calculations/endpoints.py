"""Calculation endpoints."""

from gaji.core import json_schemas
from gaji.core.external_references import EXTERNAL_ID_TYPE
from gaji.core.field_types import DateType
from gaji.core.validation import Record
from gaji.db.json_lists import json_text, slice_page
from gaji.payroll.calculations import service
from gaji.payroll.calculations.regular_hours import service as regular_hours
from gaji.payroll.calculations.schemas import (
    CALCULATION,
    CALCULATION_ELEMENT,
    CALCULATION_EXAMPLE,
    HISTORY_ELEMENT,
    HISTORY_EXAMPLE,
    INHERITED,
    INHERITED_ELEMENT,
    INHERITED_EXAMPLE,
    SavedCalculation,
)
from gaji.payroll.calculations.service import CalculationElements
from gaji.periods.parameters import LATE
from gaji.web.operations import OperationDetails, Request, Response, Router, json_response, saved_response
from gaji.web.query_parameters import IDS, Flag, QueryParameter

routes = Router("Calculations")

EXTERNAL_ID = QueryParameter("external_id", EXTERNAL_ID_TYPE, "Only the calculation with this external ID.")
LIST: OperationDetails = {
    "response_schema": {"type": "array", "items": CALCULATION_ELEMENT},
    "query": [IDS, EXTERNAL_ID],
    "paged": True,
    "example": [CALCULATION_EXAMPLE],
}
AS_OF = QueryParameter(
    "as_of",
    DateType(),
    "The day whose values are shown. Default: today, or the start of the current draft if that is later.",
)
LIST_WITH_CHANGES: OperationDetails = {**LIST, "has_changes": True}
LIST_OR_FORBIDDEN: OperationDetails = {**LIST, "error_statuses": [403]}
LIST_OF_PAYSLIP: OperationDetails = {
    **LIST_OR_FORBIDDEN,
    "has_rules_version": True,
    "query": [
        IDS,
        EXTERNAL_ID,
        QueryParameter(
            "late",
            Flag(),
            "Include what was recorded after a payslip was finalised. Default: false, and its calculations are shown "
            "as they were then.",
        ),
    ],
}
LIST_ON_DAY: OperationDetails = {
    **LIST_OR_FORBIDDEN,
    "has_rules_version": True,
    "query": [IDS, EXTERNAL_ID, AS_OF],
}
HISTORY: OperationDetails = {
    "response_schema": {"type": "array", "items": HISTORY_ELEMENT},
    "paged": True,
    "example": [HISTORY_EXAMPLE],
    "error_statuses": [403],
}
SAVE: OperationDetails = {
    "body_schema": CALCULATION.json_schema(),
    "response_schema": json_schemas.SAVED,
}
SAVE_LATE: OperationDetails = {**SAVE, "query": [LATE]}
UPDATE: OperationDetails = {
    "body_schema": CALCULATION.json_schema(partial=True),
    "body_example": {"calculation_details": {"amount": "250.00"}},
    "response_schema": json_schemas.SAVED,
    "query": [LATE],
}
DELETE: OperationDetails = {
    "response_schema": json_schemas.DELETED,
    "query": [
        QueryParameter(
            "valid_from",
            DateType(),
            "The first day without it, for employees and profiles. Default: the start of the current draft.",
        ),
        LATE,
    ],
}
READ: OperationDetails = {
    "response_schema": CALCULATION_ELEMENT,
    "has_rules_version": True,
    "example": CALCULATION_EXAMPLE,
}
EXTERNAL_PATH = "/clients/{client_id}/calculations/external/{external_id}"
EXTERNAL_PATH_SCHEMAS = {"external_id": EXTERNAL_ID_TYPE.json_schema()}
READ_EXTERNAL: OperationDetails = {**READ, "path_schemas": EXTERNAL_PATH_SCHEMAS}
UPDATE_EXTERNAL: OperationDetails = {**UPDATE, "path_schemas": EXTERNAL_PATH_SCHEMAS}
DELETE_EXTERNAL: OperationDetails = {**DELETE, "path_schemas": EXTERNAL_PATH_SCHEMAS}


def _list_response(request: Request, elements: list[Record]) -> Response:
    if "ids" in request.parameters:
        elements = [element for element in elements if element["id"] in request.parameters["ids"]]
    if "external_id" in request.parameters:
        external_id = request.parameters["external_id"]
        elements = [element for element in elements if element["external_id"] == external_id]
    return request.bare_list_response(slice_page([json_text(element) for element in elements], request.page))


def _saved_response(calculation: SavedCalculation) -> Response:
    return saved_response(calculation.message, id=calculation.id, warnings=calculation.warnings)


def _calculations_response(request: Request, calculations: CalculationElements) -> Response:
    return _list_response(request, calculations.elements).with_rules_version(calculations.rules_versions)


async def _read(request: Request, calculation_id: int) -> Response:
    calculation, versions = await service.read_calculation(request.tenant, calculation_id)
    return json_response(calculation).with_rules_version(versions)


async def _find_external(request: Request) -> int:
    names = request.ids["client_id"], request.names["external_id"]
    return await service.find_external_calculation(request.tenant, *names)


async def _update(request: Request, calculation_id: int) -> Response:
    late = request.parameters.get("late", False)
    return _saved_response(await service.update_calculation(request.tenant, calculation_id, request.body, late=late))


async def _delete(request: Request, calculation_id: int) -> Response:
    valid_from, late = request.parameters.get("valid_from"), request.parameters.get("late", False)
    warnings = await service.delete_calculation(request.tenant, calculation_id, valid_from, late=late)
    return saved_response("The calculation has been deleted", warnings=warnings)


@routes.get("/clients/{client_id}/calculations", **LIST_WITH_CHANGES)
async def list_client_calculations(request: Request) -> Response:
    """List the calculations of a client."""
    if request.changes is not None:
        changed = await service.list_changed_for_client(request.tenant, request.ids["client_id"], request.changes)
        return request.changes_response(None, changed)
    calculations = await service.list_for_client(request.tenant, request.ids["client_id"])
    return _list_response(request, calculations.elements)


@routes.get("/employees/{employee_id}/calculations", **LIST_ON_DAY)
async def list_employee_calculations(request: Request) -> Response:
    """List the calculations of an employee on a day. Inherited ones have a null ID."""
    employee_id, as_of = request.ids["employee_id"], request.parameters.get("as_of")
    return _calculations_response(request, await service.list_for_employee(request.tenant, employee_id, as_of))


@routes.get("/employees/{employee_id}/calculation_history", **HISTORY)
async def list_calculation_history(request: Request) -> Response:
    """List the recurring calculations of an employee and of their profiles, with all values by date."""
    return _list_response(request, await service.list_employee_history(request.tenant, request.ids["employee_id"]))


@routes.get("/profiles/{profile_id}/calculation_history", **HISTORY)
async def list_profile_calculation_history(request: Request) -> Response:
    """List the calculations of a profile, with all values by date."""
    return _list_response(request, await service.list_profile_history(request.tenant, request.ids["profile_id"]))


@routes.get("/payslips/{payslip_id}/calculations", **LIST_OF_PAYSLIP)
async def list_payslip_calculations(request: Request) -> Response:
    """List the calculations of a payslip. Inherited ones have a null ID."""
    payslip_id, late = request.ids["payslip_id"], request.parameters.get("late", False)
    return _calculations_response(request, await service.list_for_payslip(request.tenant, payslip_id, late=late))


@routes.get("/calculations/{calculation_id}", **READ)
async def read_calculation(request: Request) -> Response:
    """Return a calculation."""
    return await _read(request, request.ids["calculation_id"])


@routes.post("/clients/{client_id}/calculations", **SAVE)
async def enter_client_calculation(request: Request) -> Response:
    """Create a calculation of a client, or update the one of this type."""
    calculation = await service.save_client_calculation(request.tenant, request.ids["client_id"], request.body)
    return _saved_response(calculation)


@routes.post("/employees/{employee_id}/calculations", **SAVE_LATE)
async def enter_employee_calculation(request: Request) -> Response:
    """Create a recurring calculation of an employee, or update the one of this type."""
    employee_id, late = request.ids["employee_id"], request.parameters.get("late", False)
    calculation = await service.save_employee_calculation(request.tenant, employee_id, request.body, late=late)
    return _saved_response(calculation)


@routes.post("/payslips/{payslip_id}/calculations", **SAVE_LATE)
async def enter_payslip_calculation(request: Request) -> Response:
    """Create a calculation of a payslip, or update the one of this type."""
    payslip_id, late = request.ids["payslip_id"], request.parameters.get("late", False)
    calculation = await service.save_payslip_calculation(request.tenant, payslip_id, request.body, late=late)
    return _saved_response(calculation)


@routes.patch("/calculations/{calculation_id}", **UPDATE)
async def update_calculation(request: Request) -> Response:
    """Update a calculation."""
    return await _update(request, request.ids["calculation_id"])


@routes.delete("/calculations/{calculation_id}", **DELETE)
async def delete_calculation(request: Request) -> Response:
    """Delete a calculation from a date on. The levels above then apply."""
    return await _delete(request, request.ids["calculation_id"])


@routes.get(EXTERNAL_PATH, **READ_EXTERNAL)
async def read_external_calculation(request: Request) -> Response:
    """Return the calculation with an external ID, of whatever level."""
    return await _read(request, await _find_external(request))


@routes.patch(EXTERNAL_PATH, **UPDATE_EXTERNAL)
async def update_external_calculation(request: Request) -> Response:
    """Update the calculation with an external ID."""
    return await _update(request, await _find_external(request))


@routes.delete(EXTERNAL_PATH, **DELETE_EXTERNAL)
async def delete_external_calculation(request: Request) -> Response:
    """Delete the calculation with an external ID from a date on. The levels above then apply."""
    return await _delete(request, await _find_external(request))


@routes.delete(
    "/calculations/{calculation_id}/changes/{valid_from}",
    response_schema=json_schemas.DELETED,
    path_types={"valid_from": DateType()},
)
async def remove_dated_change(request: Request) -> Response:
    """Remove the change of a recurring calculation on a date. The values before it then continue."""
    valid_from = request.parameters["valid_from"]
    await service.remove_change(request.tenant, request.ids["calculation_id"], valid_from)
    return saved_response(f"The change of {valid_from} has been removed")


@routes.get(
    "/employees/{employee_id}/inherited_calculations",
    response_schema={"type": "array", "items": INHERITED_ELEMENT},
    query=[IDS],
    paged=True,
    example=[INHERITED_EXAMPLE],
)
async def list_inherited_calculations(request: Request) -> Response:
    """List the inherited calculations of an employee."""
    return _list_response(request, await regular_hours.list_inherited(request.tenant, request.ids["employee_id"]))


@routes.get("/inherited_calculations/{inherited_id}", response_schema=INHERITED_ELEMENT, example=INHERITED_EXAMPLE)
async def read_inherited_calculation(request: Request) -> Response:
    """Return an inherited calculation."""
    return json_response(await regular_hours.read_inherited(request.tenant, request.ids["inherited_id"]))


@routes.patch(
    "/employees/{employee_id}/inherited_calculations",
    body_schema=INHERITED.json_schema(),
    body_example={"calc_type": "week_hours", "calculation_details": {"schedule": "fixed"}},
    response_schema=json_schemas.SAVED,
    query=[LATE],
)
async def update_inherited_calculation(request: Request) -> Response:
    """Update an inherited calculation of an employee, optionally from an effective date."""
    employee_id, late = request.ids["employee_id"], request.parameters.get("late", False)
    calculation = await regular_hours.update_inherited(request.tenant, employee_id, request.body, late=late)
    return _saved_response(calculation)
