"""Leave request endpoints."""

from collections.abc import Mapping
from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema, OneOf
from gaji.leave.requests import service
from gaji.leave.requests.schemas import AFTERNOON, DECISION, LEAVE_REQUEST, MORNING
from gaji.periods.parameters import LATE
from gaji.web.operations import Request, Response, Router, json_response, saved_response
from gaji.web.query_parameters import IDS, QueryParameter, date_range

router = Router("Leave")

STATUSES = ["pending", "approved", "declined", "cancelled", "withdrawing", "withdrawn"]
_DATE: JsonSchema = {
    "date": {"type": "string", "format": "date"},
    "hours": {"type": ["number", "null"]},
    "type_id": json_schemas.IDENTIFIER,
    "type": {"type": ["string", "null"]},
}
_REQUEST: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "dates": {"type": "array", "items": {"type": "object", "required": list(_DATE), "properties": _DATE}},
    "reason": {"type": ["string", "null"]},
    "part_of_day": {"enum": [MORNING, AFTERNOON, None]},
    "status": {"enum": STATUSES},
    "answer": {"type": ["string", "null"]},
    "decided_at": {"type": ["string", "null"], "format": "date-time"},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
}
ELEMENT: JsonSchema = {"type": "object", "title": "LeaveRequest", "required": list(_REQUEST), "properties": _REQUEST}
EXAMPLE = {
    "id": 5,
    "employee_id": 4,
    "dates": [{"date": "2026-05-04", "hours": None, "type_id": 1, "type": "annual_leave"}],
    "reason": "A wedding",
    "part_of_day": None,
    "status": "approved",
    "answer": "Enjoy it",
    "decided_at": "2026-04-20T09:00:00.000000+08:00",
    "created_at": "2026-04-18T21:30:00.000000+08:00",
    "updated_at": "2026-04-20T09:00:00.000000+08:00",
}
APPROVED: JsonSchema = {
    **json_schemas.SAVED_MANY,
    "examples": [{"message": "The leave request has been approved", "ids": [31]}],
}
DECLINED: JsonSchema = {**json_schemas.DONE, "examples": [{"message": "The leave request has been declined"}]}

CANCELLED: JsonSchema = {**json_schemas.DONE, "examples": [{"message": "The leave request has been cancelled"}]}
WITHDRAWING: JsonSchema = {**json_schemas.DONE, "examples": [{"message": "The withdrawal awaits approval"}]}
_BALANCE: JsonSchema = {
    "type_id": json_schemas.IDENTIFIER,
    "type": {"type": "string"},
    "date": {"type": "string", "format": "date", "description": "The last requested date."},
    "before": {
        "type": "number",
        "description": "The balance on that date without the request. Other pending requests count as taken.",
    },
    "after": {"type": "number", "description": "The balance on that date with the request."},
}
PREVIEW: JsonSchema = {
    "type": "object",
    "title": "LeaveRequestPreview",
    "required": ["balances"],
    "properties": {
        "balances": {
            "type": "array",
            "items": {"type": "object", "required": list(_BALANCE), "properties": _BALANCE},
        },
        "warnings": json_schemas.WARNINGS,
    },
    "examples": [
        {"balances": [{"type_id": 1, "type": "annual_leave", "date": "2026-05-05", "before": 9, "after": 7.5}]}
    ],
}


_CLASH: JsonSchema = {
    "date": {"type": "string", "format": "date"},
    "employee_id": json_schemas.IDENTIFIER,
    "number": {"type": "string"},
    "name": {"type": "string"},
    "status": {"enum": ["away", "requested"]},
}
CLASHES: JsonSchema = {
    "type": "array",
    "items": {"type": "object", "title": "LeaveClash", "required": list(_CLASH), "properties": _CLASH},
}
CLASH_EXAMPLE = {"date": "2026-05-04", "employee_id": 7, "number": "0007", "name": "Siti Rahim", "status": "away"}


@router.get(
    "/employees/{employee_id}/leave_requests",
    response_schema=json_schemas.list_schema("leave_request", ELEMENT),
    query=[
        IDS,
        QueryParameter("status", OneOf(STATUSES, "leave_request_status"), "Only the requests with this status."),
        *date_range("requested date"),
    ],
    paged=True,
    has_changes=True,
    example=[{"leave_request": EXAMPLE}],
    allows_replica=True,
)
async def list_leave_requests(request: Request) -> Response:
    """List the leave requests of an employee."""
    employee_id = request.ids["employee_id"]
    if request.changes is not None:
        changed = await service.list_changed_requests(request.tenant, employee_id, request.changes)
        return request.changes_response("leave_request", changed)
    requests = await service.list_requests(request.tenant, employee_id, request.page, request.parameters)
    return request.list_response("leave_request", requests)


@router.post(
    "/employees/{employee_id}/leave_requests",
    body_schema=LEAVE_REQUEST.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_leave_request(request: Request) -> Response:
    """Request leave. Employees may do this for themselves."""
    request_id, validated = await service.create_request(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The leave request has been created", id=request_id, warnings=validated.warnings)


@router.post(
    "/employees/{employee_id}/leave_requests/preview",
    body_schema=LEAVE_REQUEST.json_schema(),
    response_schema=PREVIEW,
    writes=False,
)
async def preview_leave_request(request: Request) -> Response:
    """Show the balances that a leave request would leave. Nothing is saved."""
    preview, validated = await service.preview_request(request.tenant, request.ids["employee_id"], request.body)
    warnings = {"warnings": validated.warnings} if validated.warnings else {}
    return json_response({"balances": preview.balances, **warnings})


@router.get("/leave_requests/{request_id}/clashes", response_schema=CLASHES, example=[CLASH_EXAMPLE])
async def list_leave_request_clashes(request: Request) -> Response:
    """List who of the same pay point is away on the days of a request, or has asked for them, and own leave."""
    return json_response(await service.list_clashes(request.tenant, request.ids["request_id"]))


@router.post(
    "/leave_requests/{request_id}/approve",
    body_schema=DECISION.json_schema(),
    response_schema=APPROVED,
    query=[LATE],
)
async def approve_leave_request(request: Request) -> Response:
    """Approve a leave request and record its days, or approve its withdrawal and delete them."""
    request_id, late = request.ids["request_id"], request.parameters.get("late", False)
    ids, validated = await service.approve_request(request.tenant, request_id, _body(request), late=late)
    decided = "leave request" if ids else "withdrawal"
    return saved_response(f"The {decided} has been approved", ids=ids, warnings=validated.warnings)


@router.post(
    "/leave_requests/{request_id}/decline",
    body_schema=DECISION.json_schema(),
    response_schema=DECLINED,
)
async def decline_leave_request(request: Request) -> Response:
    """Decline a leave request, or its withdrawal."""
    status, validated = await service.decline_request(request.tenant, request.ids["request_id"], _body(request))
    decided = "leave request" if status == service.DECLINED else "withdrawal"
    return saved_response(f"The {decided} has been declined", warnings=validated.warnings)


@router.post("/leave_requests/{request_id}/cancel", response_schema=CANCELLED)
async def cancel_leave_request(request: Request) -> Response:
    """Cancel a pending leave request. Employees may do this for themselves."""
    await service.cancel_request(request.tenant, request.ids["request_id"])
    return saved_response("The leave request has been cancelled")


@router.post("/leave_requests/{request_id}/withdraw", response_schema=WITHDRAWING)
async def withdraw_leave_request(request: Request) -> Response:
    """Ask to withdraw approved leave. Employees may do this for themselves; an officer approves or declines it."""
    await service.withdraw_request(request.tenant, request.ids["request_id"])
    return saved_response("The withdrawal awaits approval")


def _body(request: Request) -> Mapping[str, Any]:
    """The answer is optional, and so is the body."""
    return request.body if request.raw_body else {}
