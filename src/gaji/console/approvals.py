"""Approval by a second person: pending requests, decisions and the setting of a company."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gaji.approvals import client_settings, service
from gaji.approvals.models import Approval, ApprovalKind, ApprovalStatus
from gaji.company.clients.schemas import CLIENT
from gaji.company.clients.service import ClientMembership
from gaji.console.account_requests import changes_account
from gaji.console.company_list import leave_requests_task
from gaji.console.error_messages import error_text
from gaji.console.file_approvals import files_path, requested_value_date
from gaji.console.finalise_notes import load_finalise_notes
from gaji.console.formats import capitalise, format_day, format_list, format_money
from gaji.console.forms import Field, build_form
from gaji.console.glossary import label
from gaji.console.next_company import find_next_step, was_step_done
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest, page_not_found
from gaji.console.return_paths import return_path
from gaji.core import clock
from gaji.core.bank_accounts import BANK_PATH, BRANCH_PATH, NUMBER_PATH, account_notes
from gaji.core.errors import Conflict, GajiError, NotFound, ValidationError
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.vault import mask
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.payment_files.approvals import requested_dates
from gaji.documents.payment_files.service import is_payment_list
from gaji.leave.team_calendar import count_pending as count_leave_requests
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.display_name import EmployeeLabel
from gaji.people.employees.notes import change_notes
from gaji.people.employees.schemas import EMPLOYEE
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
PENDING = {"status": ApprovalStatus.PENDING}
NOTICES = {
    "approve": "Request approved",
    "reject": "Request declined. Nothing has changed",
    "cancel": "Request cancelled. Nothing has changed",
}
ACCOUNT_FORMS = {
    ApprovalKind.EMPLOYEE_BANK_ACCOUNT: ("employee", EMPLOYEE.attributes),
    ApprovalKind.EMPLOYEE_DETAILS: ("employee", EMPLOYEE.attributes),
    ApprovalKind.CLIENT_BANK_ACCOUNT: ("company", CLIENT.attributes),
}
SECRETS = ("bank_account.account_number", "paynow")
DECIDED_LAST = (ApprovalKind.PAYMENT_RUN_FINALISATION, ApprovalKind.PAYMENT_FILE, ApprovalKind.APPROVAL_SETTINGS)
"""What is listed after other requests, in this order, because finalised payslips keep the accounts of that moment."""
NO_VALUE = "–"
DATE_IN_FILE, DATES_IN_FILE = "Date in the file", "Dates in the file"
DATE_HAS_PASSED = "The date in the file has passed, and banks refuse past dates"


@dataclass(frozen=True)
class ApprovalView:
    """An approval as pages show it."""

    approval: Approval
    title: str
    employee_number: str
    """Empty if it is not about an employee."""
    path: str
    """The page of what it is about."""
    changes: Sequence[tuple[str, str, str]]
    """Label, old value and new value. The old value is empty if it stays."""
    facts: Sequence[tuple[str, str]]
    """Label and value."""
    notes: Sequence[str]
    """What is unusual about a pending request, in words."""
    is_own: bool
    """Whether the user requested it, so that someone else has to decide."""
    can_decide: bool


@router.get("/companies/{client_id}/approvals")
async def list_approvals(request: PageRequest) -> HttpResponse:
    """Show pending requests, and those that are decided."""
    return await _list_page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/approvals/{approval_id}/{decision}", step_up=True)
async def decide(request: PageRequest) -> HttpResponse:
    """Approve, reject or cancel a request."""
    decision, approval_id = request.names["decision"], request.ids["approval_id"]
    if decision not in NOTICES:
        raise page_not_found(request)
    company = await request.writable_company(request.ids["client_id"])
    async with request.tenant.read_only() as tx:
        if (await service.load_approval(tx, approval_id)).client_id != company.id:
            raise NotFound(f"Approval {approval_id} does not exist")
    try:
        await _decide(request, approval_id, decision)
    except (ValidationError, Conflict) as error:
        return await _list_page(request, company, error)
    return request.redirect(return_path(request.form) or f"/companies/{company.id}/approvals", NOTICES[decision])


@router.get("/companies/{client_id}/settings/approvals")
async def show_settings(request: PageRequest) -> HttpResponse:
    """Show whether the company requires approval."""
    return await _settings_page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/settings/approvals", step_up=True)
async def change_settings(request: PageRequest) -> HttpResponse:
    """Require approval, or turn it off."""
    company = await request.company(request.ids["client_id"])
    required = request.form.get("required") == "true"
    try:
        approval = await client_settings.change_settings(request.tenant, company.id, {"required": required})
    except Conflict as error:
        return await _settings_page(request, company, error)
    if approval is not None:
        return request.redirect(request.path, "Another person has to approve that approval is turned off")
    return request.redirect(request.path, f"Approval by a second person is turned {'on' if required else 'off'}")


async def load_pending(request: PageRequest, company: ClientMembership, **subject: Any) -> list[ApprovalView]:
    """Load the pending requests about a subject, such as `employee_id=4`, in the order in which to decide them."""
    async with request.tenant.read_only() as tx:
        approvals, _ = await service.find_approvals(tx, company.id, {**PENDING, **subject})
        return await _views(request, tx, company, sorted(approvals, key=_decision_order)) if approvals else []


def waiting_text(approval: Approval, tenant: Tenant, subject: str = "") -> str:
    """Return whose decision a pending request waits for, for a user who may change the company."""
    is_own = approval.requested_by_id == tenant.caller.user_id
    waits = "waits for the approval of a second person" if is_own else "waits for your approval"
    return f"{subject} {waits}" if subject else capitalise(waits)


def _decision_order(approval: Approval) -> tuple[int, int]:
    """Return the sort key of pending requests: what others depend on first, and then the oldest first."""
    rank = DECIDED_LAST.index(approval.kind) + 1 if approval.kind in DECIDED_LAST else 0
    return rank, approval.id


async def _decide(request: PageRequest, approval_id: int, decision: str) -> None:
    body = {"reason": request.form.get("reason", "").strip() or None}
    if decision == "approve":
        await service.approve(request.tenant, approval_id, body)
    elif decision == "reject":
        await service.reject(request.tenant, approval_id, body)
    else:
        await service.cancel(request.tenant, approval_id)


async def _list_page(request: PageRequest, company: ClientMembership, error: GajiError | None = None) -> HttpResponse:
    page = request.list_page(PER_PAGE)
    async with request.tenant.read_only() as tx:
        decided, total = await service.find_approvals(tx, company.id, {"decided": True}, page)
        views = await _views(request, tx, company, decided)
        required = await service.is_required(tx, company.id)
        leave_requests = (await count_leave_requests(tx, [company.id])).get(company.id, 0)
    pending = await _with_finalise_notes(request, company, await load_pending(request, company))
    is_finished = not leave_requests and not any(view.can_decide for view in pending)
    return request.render(
        "approvals.html",
        status=error.status if error else 200,
        company=company,
        waiting_here=leave_requests_task(company.id, leave_requests),
        next_company=await find_next_step(request, company, is_finished=was_step_done(request) and is_finished),
        here="Dashboard",
        error=error,
        approvals=pending,
        return_to=return_path(request.form),
        decided=views,
        required=required,
        pager=build_pager(request, page, total),
    )


async def _with_finalise_notes(
    request: PageRequest, company: ClientMembership, views: Sequence[ApprovalView]
) -> list[ApprovalView]:
    """Add what the page to finalise a pay run warns about to the requests to finalise one."""
    if not company.can_write:
        return list(views)
    awaiting_ids = {view.approval.subject.employee_id or 0 for view in views if changes_account(view.approval)}
    return [
        replace(
            view, notes=await load_finalise_notes(request.tenant, view.approval.subject.payment_run_id, awaiting_ids)
        )
        if view.approval.kind == ApprovalKind.PAYMENT_RUN_FINALISATION and view.approval.subject.payment_run_id
        else view
        for view in views
    ]


async def _settings_page(
    request: PageRequest, company: ClientMembership, error: GajiError | None = None
) -> HttpResponse:
    settings = await client_settings.read_settings(request.tenant, company.id)
    return request.render(
        "settings_approvals.html",
        status=error.status if error else 200,
        company=company,
        here="Settings",
        error=error,
        required=settings["required"],
        approvals=await load_pending(request, company, kind=ApprovalKind.APPROVAL_SETTINGS),
    )


async def _views(
    request: PageRequest, tx: Transaction, company: ClientMembership, approvals: Sequence[Approval]
) -> list[ApprovalView]:
    employee_ids = {approval.subject.employee_id for approval in approvals} - {None}
    labels = await load_employee_labels(tx, company.id, [number for number in employee_ids if number])
    return [await _view(request, tx, company, approval, labels) for approval in approvals]


async def _view(
    request: PageRequest,
    tx: Transaction,
    company: ClientMembership,
    approval: Approval,
    labels: Mapping[int, EmployeeLabel],
) -> ApprovalView:
    is_own = request.user is not None and request.user.caller.user_id == approval.requested_by_id
    roles = await service.load_approver_roles(tx, company.id, approval.kind, approval.requested_by_id)
    employee_id = approval.subject.employee_id
    return ApprovalView(
        approval,
        _title(approval, labels),
        labels[employee_id].number if employee_id else "",
        _path(approval, company),
        _changes(approval, company),
        _facts(approval),
        _note_texts(approval) if approval.is_pending else [],
        is_own,
        approval.is_pending and not is_own and company.role in roles,
    )


def _title(approval: Approval, labels: Mapping[int, EmployeeLabel]) -> str:
    """Return what is to be approved, in words."""
    if approval.kind == ApprovalKind.EMPLOYEE_BANK_ACCOUNT:
        return f"Bank account of {labels[approval.subject.employee_id or 0].name}"
    if approval.kind == ApprovalKind.EMPLOYEE_DETAILS:
        return f"Details of {labels[approval.subject.employee_id or 0].name}"
    if approval.kind == ApprovalKind.CLIENT_BANK_ACCOUNT:
        return "Bank account of the company"
    if approval.kind == ApprovalKind.APPROVAL_SETTINGS:
        return "Turn off approval by a second person"
    day = format_day(approval.details["period_end_date"])
    if approval.kind == ApprovalKind.PAYMENT_FILE:
        return f"Payment file {approval.details['name']} of the pay run for {day}"
    return f"Finalise the pay run for {day}"


def _path(approval: Approval, company: ClientMembership) -> str:
    subject = approval.subject
    if subject.employee_id is not None:
        return f"/employees/{subject.employee_id}"
    if approval.kind == ApprovalKind.PAYMENT_FILE:
        has_value_date = approval.details["value_date"] is not None
        value_date = requested_value_date(approval) if has_value_date else None
        return files_path(subject.payment_run_id or 0, value_date)
    if subject.payment_run_id is not None:
        return f"/payment_runs/{subject.payment_run_id}"
    page = "/settings/approvals" if approval.kind == ApprovalKind.APPROVAL_SETTINGS else "/settings"
    return f"/companies/{company.id}{page}"


def _changes(approval: Approval, company: ClientMembership) -> list[tuple[str, str, str]]:
    """Return the details that change. Users who may only view see account numbers masked."""
    if approval.kind in ACCOUNT_FORMS and company.can_write:
        note_identifier_read(f"/clients/{company.id}/approvals")
    return list_changes(approval, show_secrets=company.can_write)


def list_changes(approval: Approval, *, show_secrets: bool) -> list[tuple[str, str, str]]:
    """Return label, old value and new value of the details that change. Without `show_secrets`, numbers are masked.

    The bank and the branch code are listed with a new account even if they stay, without an old value: they say which
    account it is, and are easily left unchanged.
    """
    if approval.kind not in ACCOUNT_FORMS:
        return []
    old, new = (_account_fields(approval, side) for side in ("before", "after"))
    changed = {after.name for before, after in zip(old, new, strict=True) if before.value != after.value}
    with_account = {BANK_PATH, BRANCH_PATH} if changed & {BANK_PATH, BRANCH_PATH, NUMBER_PATH} else set()
    listed = changed | {field.name for field in new if field.name in with_account and field.value}
    return [
        (after.label, _text(before, show_secrets) if after.name in changed else "", _text(after, show_secrets))
        for before, after in zip(old, new, strict=True)
        if after.name in listed
    ]


def _note_texts(approval: Approval) -> list[str]:
    """Return what is unusual about what is to be approved, in words."""
    if approval.kind == ApprovalKind.PAYMENT_FILE and not is_payment_list(approval.details["name"]):
        return [DATE_HAS_PASSED] if any(day < clock.today() for day in requested_dates(approval)) else []
    if approval.kind not in ACCOUNT_FORMS:
        return []
    before, after = approval.details["before"], approval.details["after"]
    is_company = approval.kind == ApprovalKind.CLIENT_BANK_ACCOUNT
    notes = account_notes(after["bank_account"]) if is_company else change_notes(before, after)
    return [f"{label(note.path.partition('.')[0])}: {error_text(note)}" for note in notes]


def _account_fields(approval: Approval, side: str) -> list[Field]:
    name, attributes = ACCOUNT_FORMS[approval.kind]
    values = approval.details[side]
    account_attributes = [attribute for attribute in attributes if attribute.name in values]
    return list(build_form(name, account_attributes, values).fields)


def _text(field: Field, show_secrets: bool) -> str:
    if not field.value:
        return NO_VALUE
    if field.name in SECRETS and not show_secrets:
        return mask(field.value)
    return dict(field.options).get(field.value, field.value)


def _facts(approval: Approval) -> list[tuple[str, str]]:
    details = approval.details
    if approval.kind == ApprovalKind.PAYMENT_RUN_FINALISATION:
        return [("Payslips", f"{details['payslips']:,}"), ("Nett pay", format_money(details["total"]))]
    if approval.kind != ApprovalKind.PAYMENT_FILE:
        return []
    dates = requested_dates(approval)
    facts = [("Payments", f"{details['payments']:,}"), ("Total", format_money(details["total"]))]
    name = DATE_IN_FILE if len(dates) == 1 else DATES_IN_FILE
    return [*facts, (name, format_list([format_day(day) for day in dates]))] if dates else facts
