"""Approval endpoints."""

from gaji.approvals import client_settings, service
from gaji.approvals.schemas import (
    APPROVAL,
    APPROVAL_EXAMPLE,
    APPROVE,
    KINDS,
    REJECT,
    REQUESTED,
    SETTINGS,
    SETTINGS_FORM,
    STATUSES,
    approval_json,
)
from gaji.core import json_schemas
from gaji.core.field_types import Integer
from gaji.db.json_lists import wrap_element
from gaji.web.operations import Request, Response, Router, json_response, pending_response, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Approvals")

APPROVAL_PATH = "/approvals/{approval_id}"
SETTINGS_PATH = "/clients/{client_id}/approval_settings"


@router.get(
    "/clients/{client_id}/approvals",
    response_schema=json_schemas.list_schema("approval", APPROVAL),
    query=[
        IDS,
        QueryParameter("status", STATUSES, "Only the approvals with this status."),
        QueryParameter("kind", KINDS, "Only the approvals of this kind."),
        QueryParameter("employee_id", Integer(minimum=1), "Only the approvals about this employee."),
        QueryParameter("payment_run_id", Integer(minimum=1), "Only the approvals about this payment run."),
    ],
    paged=True,
    example=[{"approval": APPROVAL_EXAMPLE}],
)
async def list_approvals(request: Request) -> Response:
    """List what a second person has to approve or has decided, requests of employees included, newest first."""
    approvals = await service.list_approvals(request.tenant, request.ids["client_id"], request.page, request.parameters)
    return request.list_response("approval", approvals)


@router.get(
    APPROVAL_PATH,
    response_schema=json_schemas.wrapped_schema("approval", APPROVAL),
    example={"approval": APPROVAL_EXAMPLE},
)
async def read_approval(request: Request) -> Response:
    """Return one approval."""
    return Response(wrap_element("approval", await service.read_approval(request.tenant, request.ids["approval_id"])))


@router.post(
    f"{APPROVAL_PATH}/approve",
    body_schema=APPROVE.json_schema(),
    response_schema=json_schemas.SAVED,
    error_statuses=[409],
)
async def approve_request(request: Request) -> Response:
    """Approve the request of another user, and do what it asks for. If what it is about has changed, it is outdated."""
    approval_id = request.ids["approval_id"]
    body = request.body if request.raw_body else {}
    _, warnings = await service.approve(request.tenant, approval_id, body)
    return saved_response("The request has been approved", id=approval_id, warnings=warnings)


@router.post(
    f"{APPROVAL_PATH}/reject",
    body_schema=REJECT.json_schema(),
    response_schema=json_schemas.SAVED,
    error_statuses=[409],
)
async def reject_request(request: Request) -> Response:
    """Reject the request of another user."""
    approval_id = request.ids["approval_id"]
    _, warnings = await service.reject(request.tenant, approval_id, request.body)
    return saved_response("The request has been rejected", id=approval_id, warnings=warnings)


@router.post(f"{APPROVAL_PATH}/cancel", response_schema=json_schemas.SAVED, error_statuses=[409])
async def cancel_request(request: Request) -> Response:
    """Cancel a request of your own."""
    approval_id = request.ids["approval_id"]
    await service.cancel(request.tenant, approval_id)
    return saved_response("The request has been cancelled", id=approval_id)


@router.get(
    SETTINGS_PATH,
    response_schema=json_schemas.wrapped_schema("approval_settings", SETTINGS_FORM),
    example={"approval_settings": {"required": False}},
)
async def read_approval_settings(request: Request) -> Response:
    """Return whether a client requires the approval of a second person."""
    settings = await client_settings.read_settings(request.tenant, request.ids["client_id"])
    return json_response({"approval_settings": settings})


@router.patch(
    SETTINGS_PATH,
    body_schema=SETTINGS.json_schema(),
    response_schema=json_schemas.DONE,
    pending_when="Approval is to be turned off, which another person has to approve.",
    pending_schema=REQUESTED,
    error_statuses=[409],
)
async def update_approval_settings(request: Request) -> Response:
    """Require the approval of a second person, or turn it off. Needs an owner."""
    approval = await client_settings.change_settings(request.tenant, request.ids["client_id"], request.body)
    if approval is None:
        return saved_response("The approval settings have been saved")
    element = approval_json(approval, hide_identifiers=request.tenant.caller.hide_identifiers)
    return pending_response("Approval is turned off when another person approves it", approval=element)
