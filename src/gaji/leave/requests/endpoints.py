"""Leave requests over HTTP."""

from collections.abc import Mapping
from typing import Any

from gaji.core.validation import JsonSchema
from gaji.leave.days.endpoints import SAVED_MANY
from gaji.leave.requests import service
from gaji.leave.requests.rules import DECISION, LEAVE_REQUEST
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Leave")

_DATE: JsonSchema = {
    "date": {"type": "string", "format": "date"},
    "hours": {"type": ["number", "null"]},
    "type_id": schemas.IDENTIFIER,
    "type": {"type": ["string", "null"]},
}
_REQUEST: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "employee_id": schemas.IDENTIFIER,
    "dates": {"type": "array", "items": {"type": "object", "required": list(_DATE), "properties": _DATE}},
    "reason": {"type": ["string", "null"]},
    "status": {"enum": ["pending", "approved", "declined"]},
    "answer": {"type": ["string", "null"]},
    "decided_at": {"type": ["string", "null"], "format": "date-time"},
    "created_at": schemas.TIMESTAMP,
    "updated_at": schemas.TIMESTAMP,
}
ELEMENT: JsonSchema = {"type": "object", "title": "LeaveRequest", "required": list(_REQUEST), "properties": _REQUEST}
EXAMPLE = {
    "id": 5,
    "employee_id": 4,
    "dates": [{"date": "2026-05-04", "hours": None, "type_id": 1, "type": "annual_leave"}],
    "reason": "A wedding",
    "status": "approved",
    "answer": "Enjoy it",
    "decided_at": "2026-04-20T09:00:00.000000+08:00",
    "created_at": "2026-04-18T21:30:00.000000+08:00",
    "updated_at": "2026-04-20T09:00:00.000000+08:00",
}
APPROVED: JsonSchema = {**SAVED_MANY, "examples": [{"message": "The leave request has been approved", "ids": [31]}]}
DECLINED: JsonSchema = {**schemas.DONE, "examples": [{"message": "The leave request has been declined"}]}


@routes.get(
    "/employees/{employee_id}/leave_requests",
    answers=schemas.array_of("leave_request", ELEMENT),
    paged=True,
    example=[{"leave_request": EXAMPLE}],
)
async def list_leave_requests(call: Request) -> Response:
    """The leave requests of an employee."""
    found = await service.list_requests(call.tenant, call.ids["employee_id"], call.page)
    return call.listed("leave_request", found)


@routes.post(
    "/employees/{employee_id}/leave_requests",
    takes=LEAVE_REQUEST.json_schema(),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def create_leave_request(call: Request) -> Response:
    """Ask for leave; employees may do so for themselves."""
    request_id, reading = await service.create_request(call.tenant, call.ids["employee_id"], call.body)
    return saved("The leave request has been created", id=request_id, warnings=reading.warnings)


@routes.post(
    "/leave_requests/{request_id}/approve", takes=DECISION.json_schema(), answers=APPROVED, statuses=[409, 422]
)
async def approve_leave_request(call: Request) -> Response:
    """Approve a leave request: its days are recorded."""
    ids, reading = await service.approve_request(call.tenant, call.ids["request_id"], _body(call))
    return saved("The leave request has been approved", ids=ids, warnings=reading.warnings)


@routes.post(
    "/leave_requests/{request_id}/decline", takes=DECISION.json_schema(), answers=DECLINED, statuses=[409, 422]
)
async def decline_leave_request(call: Request) -> Response:
    """Decline a leave request."""
    reading = await service.decline_request(call.tenant, call.ids["request_id"], _body(call))
    return saved("The leave request has been declined", warnings=reading.warnings)


def _body(call: Request) -> Mapping[str, Any]:
    """An answer can be left out, and the body with it."""
    return call.body if call.raw_body else {}
