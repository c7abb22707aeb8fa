"""Erasure endpoints."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.privacy.erasure import service
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Personal data")

PATH = "/employees/{employee_id}/erasure"
ERASURE: JsonSchema = {
    "type": "object",
    "title": "Erasure",
    "required": ["erased_at", "possible_from", "possible"],
    "properties": {
        "erased_at": {"type": ["string", "null"], "format": "date-time", "description": "When the data was erased."},
        "possible_from": {
            "type": ["string", "null"],
            "format": "date",
            "description": "The first day on which erasure is possible. Null while the employee is in service.",
        },
        "possible": {"type": "boolean", "description": "Whether erasure is possible today."},
    },
}
EXAMPLE: dict[str, Any] = {"erased_at": None, "possible_from": "2033-01-01", "possible": False}


@router.get(
    PATH,
    response_schema=json_schemas.wrapped_schema("erasure", ERASURE),
    example={"erasure": EXAMPLE},
    error_statuses=[403],
)
async def read_erasure(request: Request) -> Response:
    """Return whether an employee is erased, or from when that is possible."""
    state = await service.read_state(request.tenant, request.ids["employee_id"])
    return json_response({"erasure": state.to_json()})


@router.post(PATH, response_schema=json_schemas.DONE, error_statuses=[403, 409])
async def erase_employee(request: Request) -> Response:
    """Erase the personal data of a former employee when the statutory periods have ended. This cannot be undone."""
    await service.erase_employee(request.tenant, request.ids["employee_id"])
    return saved_response("The personal data of the employee has been erased")
