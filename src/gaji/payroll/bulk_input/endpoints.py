"""Bulk input endpoint."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.payroll.bulk_input import bulk_employees, service
from gaji.payroll.bulk_input.bulk_employees import EmployeeResult
from gaji.payroll.bulk_input.schemas import (
    BULK_INPUT_REQUEST,
    CREATE_EMPLOYEES_REQUEST,
    EMPLOYEE_RESULTS,
    EMPLOYEE_RESULTS_EXAMPLE,
    RESULTS,
    RESULTS_EXAMPLE,
    UPDATE_EMPLOYEES_REQUEST,
)
from gaji.payroll.bulk_input.service import EntityResult
from gaji.web.operations import Request, Response, Router, json_response

routes = Router("Bulk input")

_encode = msgspec.json.Encoder(decimal_format="number").encode


@routes.post(
    "/clients/{client_id}/bulk_input",
    body_schema=BULK_INPUT_REQUEST,
    response_schema=RESULTS,
    example=RESULTS_EXAMPLE,
)
async def bulk_input(request: Request) -> Response:
    """Save attributes and calculation inputs of many employees."""
    results = await service.save_entities(request.tenant, request.ids["client_id"], request.body)
    # In a thread: the errors of thousands of entities take long to render.
    return await run_in_thread_if_many(
        len(results), lambda: json_response([_result_json(result) for result in results])
    )


@routes.post(
    "/clients/{client_id}/employees/bulk",
    body_schema=CREATE_EMPLOYEES_REQUEST,
    response_schema=EMPLOYEE_RESULTS,
    example=EMPLOYEE_RESULTS_EXAMPLE,
)
async def create_employees(request: Request) -> Response:
    """Create up to 5,000 employees. Those that are valid are saved, and the response explains the others."""
    return await _employees_response(
        await bulk_employees.create_employees(request.tenant, request.ids["client_id"], request.body)
    )


@routes.patch(
    "/clients/{client_id}/employees/bulk",
    body_schema=UPDATE_EMPLOYEES_REQUEST,
    response_schema=EMPLOYEE_RESULTS,
    example=EMPLOYEE_RESULTS_EXAMPLE,
)
async def update_employees(request: Request) -> Response:
    """Update up to 5,000 employees. Those that are valid are saved, and the response explains the others."""
    return await _employees_response(
        await bulk_employees.update_employees(request.tenant, request.ids["client_id"], request.body)
    )


async def _employees_response(results: Sequence[EmployeeResult]) -> Response:
    # In a thread: the errors of thousands of employees take long to render.
    return await run_in_thread_if_many(len(results), lambda: json_response(_employees_json(results)))


def _employees_json(results: Sequence[EmployeeResult]) -> dict[str, Any]:
    saved, total = sum(not result.errors for result in results), len(results)
    return {
        "message": f"{saved:,} of {total:,} employees {'has' if saved == 1 else 'have'} been saved",
        "saved": saved,
        "failed": total - saved,
        "results": [_employee_json(result) for result in results],
    }


def _employee_json(result: EmployeeResult) -> dict[str, Any]:
    values: dict[str, Any] = {"id": result.id, "number": result.number, "success": not result.errors}
    if result.errors:
        values |= {"errors": result.errors.messages(), "error_details": result.errors.details()}
    if result.warnings:
        values["warnings"] = result.warnings
    if result.approval_id is not None:
        values["approval_id"] = result.approval_id
    return values


def _result_json(result: EntityResult) -> dict[str, Any]:
    entity = result.entity
    values: dict[str, Any] = {"id": _as_sent(entity.sent.get("id"))}
    if entity.sent.get("payslip_id") is not None:
        values["payslip_id"] = _as_sent(entity.sent["payslip_id"])
    elif entity.payslip_id is not None:
        values["payslip_id"] = str(entity.payslip_id)
    if entity.sent.get("payslip_date") is not None:
        values["payslip_date"] = _as_sent(entity.sent["payslip_date"])
    values |= {"success": "false" if entity.errors else "true", "message": result.message}
    if entity.approval_id is not None:
        values["approval_id"] = entity.approval_id
    if entity.errors:
        values |= {"errors": entity.errors.messages(), "error_details": entity.errors.details()}
    return values


def _as_sent(value: object) -> msgspec.Raw:
    """Return a value of the request as JSON. Unlike in other responses, a number with a fraction stays a number."""
    return msgspec.Raw(_encode(value))
