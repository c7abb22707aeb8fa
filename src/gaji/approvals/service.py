"""Approval use cases: request, list, approve, reject and cancel.

Locks: what is approved is locked before the approval itself, by requests and by decisions.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from gaji.approvals import repository
from gaji.approvals.acts import perform_act
from gaji.approvals.models import (
    Approval,
    ApprovalKind,
    ApprovalRequest,
    ApprovalStatus,
    ApprovalSubject,
    OutdatedRequest,
    PendingCount,
)
from gaji.approvals.schemas import APPROVE, REJECT, approval_json
from gaji.core.errors import Conflict, Forbidden, NotFound, ValidationError
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import OWNER, WRITERS, find_role, require_writer
from gaji.mail.outbox import (
    queue_approval_request,
    queue_details_approval_request,
    queue_details_decision,
    queue_details_requested,
)

SAVEPOINT = "perform_act"
ACCOUNT_KINDS = (
    ApprovalKind.EMPLOYEE_BANK_ACCOUNT,
    ApprovalKind.EMPLOYEE_DETAILS,
    ApprovalKind.CLIENT_BANK_ACCOUNT,
)
EVENTS = {
    ApprovalStatus.APPROVED: EventType.APPROVAL_APPROVED,
    ApprovalStatus.REJECTED: EventType.APPROVAL_REJECTED,
    ApprovalStatus.CANCELLED: EventType.APPROVAL_CANCELLED,
    ApprovalStatus.OUTDATED: EventType.APPROVAL_CANCELLED,
}
DECISIONS = {ApprovalStatus.APPROVED: "approved", ApprovalStatus.REJECTED: "declined"}
"""The decisions that employees get a mail about, and the word for each."""


async def is_required(tx: Transaction, client_id: int) -> bool:
    """Return whether a client requires the approval of a second person."""
    return await repository.is_required(tx, client_id)


async def request_approval(tx: Transaction, client_id: int, request: ApprovalRequest) -> Approval:
    """Request approval as the caller, who has locked what it is about. See `request_approvals`."""
    [approval] = await request_approvals(tx, client_id, [request])
    return approval


async def request_approvals(tx: Transaction, client_id: int, requests: Sequence[ApprovalRequest]) -> list[Approval]:
    """Request approvals of one kind, as the caller. Earlier pending requests about the same become outdated.

    A pending request for the same thing is returned instead of a new one.
    """
    subjects = [request.subject for request in requests]
    pending = {approval.subject: approval for approval in await repository.lock_pending(tx, client_id, subjects)}
    same = {request.subject for request in requests if _is_same(request, pending.get(request.subject))}
    replaced = [approval.id for subject, approval in pending.items() if subject not in same]
    await _close(tx, client_id, replaced, ApprovalStatus.OUTDATED)
    ids = await repository.insert(tx, client_id, [item for item in requests if item.subject not in same])
    if ids:
        tx.emit(ResourceEvent(EventType.APPROVAL_REQUESTED, client_id, tuple(ids)))
        await _mail_requests(tx, client_id, [subject for subject in subjects if subject not in same], pending.keys())
    kept_ids = [pending[subject].id for subject in same]
    approvals, _ = await repository.list_approvals(tx, client_id, None, {"ids": [*kept_ids, *ids]})
    by_subject = {approval.subject: approval for approval in approvals}
    return [by_subject[subject] for subject in subjects]


async def list_approvals(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the approvals of a client as JSON, newest first, and their total number."""
    async with tenant.read_only() as tx:
        await _require_client(tx, client_id)
        approvals, total = await repository.list_approvals(tx, client_id, page, filters)
    return [json_text(_element(tx, approval)) for approval in approvals], total


async def read_approval(tenant: Tenant, approval_id: int) -> str:
    """Return one approval as JSON."""
    async with tenant.read_only() as tx:
        return json_text(_element(tx, await load_approval(tx, approval_id)))


async def find_approvals(
    tx: Transaction, client_id: int, filters: Filters, page: ListPage | None = None
) -> tuple[list[Approval], int]:
    """Find approvals of a client, newest first, and return their total number."""
    return await repository.list_approvals(tx, client_id, page, filters)


async def count_pending(tx: Transaction, client_ids: Sequence[int]) -> dict[int, PendingCount]:
    """Count the pending requests of clients, those of the caller apart. Clients without any are left out."""
    return await repository.count_pending(tx, client_ids)


async def approve(tenant: Tenant, approval_id: int, body: Mapping[str, Any]) -> tuple[Approval, dict[str, str]]:
    """Approve a request of another user and do what was requested, in one transaction.

    If the state has changed since the request, it becomes outdated and nothing is done. Raises Conflict.
    """
    validated = APPROVE.parse_create(body)
    async with tenant.transaction() as tx:
        approval = await _load_decidable(tx, approval_id)
        outdated = await _perform(tx, approval)
        status = ApprovalStatus.OUTDATED if outdated else ApprovalStatus.APPROVED
        await _decide(tx, approval, status, outdated or validated.data.reason)
    if outdated:
        raise Conflict(f"Approval {approval_id} is outdated and nothing was done: {outdated}. Request it again")
    return approval, validated.warnings


async def reject(tenant: Tenant, approval_id: int, body: Mapping[str, Any]) -> tuple[Approval, dict[str, str]]:
    """Reject a request of another user."""
    validated = REJECT.parse_create(body)
    async with tenant.transaction() as tx:
        approval = await _load_decidable(tx, approval_id)
        await _decide(tx, approval, ApprovalStatus.REJECTED, validated.data.reason)
    return approval, validated.warnings


async def cancel(tenant: Tenant, approval_id: int) -> Approval:
    """Cancel a request of the caller."""
    async with tenant.transaction() as tx:
        approval = await load_approval(tx, approval_id)
        await require_writer(tx, approval.client_id)
        if approval.requested_by_id != tx.caller.user_id:
            raise Forbidden(f"Approval {approval_id} was requested by someone else; reject it instead")
        await _decide(tx, approval, ApprovalStatus.CANCELLED, None)
    return approval


async def withdraw_request(tx: Transaction, approval: Approval) -> None:
    """Cancel a request of the caller, who need not be able to change the client."""
    await _decide(tx, approval, ApprovalStatus.CANCELLED, None)


async def cancel_pending(tx: Transaction, client_id: int, except_id: int = 0) -> None:
    """Cancel the pending requests of a client, except one, because approval is no longer required.

    Requests of employees stay, because they always need approval.
    """
    ids = [number for number in await repository.list_pending_ids(tx, client_id) if number != except_id]
    await _close(tx, client_id, ids, ApprovalStatus.CANCELLED)


async def load_approval(tx: Transaction, approval_id: int) -> Approval:
    """Load an approval that the caller may see. Raises NotFound."""
    approval = await repository.find_approval(tx, approval_id)
    if approval is None:
        raise NotFound(f"Approval {approval_id} does not exist")
    return approval


async def load_approver_roles(tx: Transaction, client_id: int, kind: ApprovalKind, requester_id: int) -> Sequence[str]:
    """Return the roles that may decide a request: those that may do it themselves.

    If nobody but the requester owns the client, everyone who may change it decides about its settings.
    """
    if kind != ApprovalKind.APPROVAL_SETTINGS:
        return WRITERS
    others = await repository.list_roles_of_others(tx, client_id, requester_id)
    return (OWNER,) if OWNER in others else WRITERS


async def has_approver(tx: Transaction, client_id: int) -> bool:
    """Return whether someone other than the caller may change the client."""
    return bool(await repository.list_roles_of_others(tx, client_id, tx.caller.user_id))


def fingerprint(tx: Transaction, client_id: int, state: Any) -> str:
    """Return a keyed hash of a state that can have identifiers. It changes with the secret."""
    return tx.vault.lookup_hash("approval", f"{client_id}/{json_text(state)}").hex()


async def _require_client(tx: Transaction, client_id: int) -> None:
    if not await repository.is_visible(tx, client_id):
        raise NotFound(f"Client {client_id} does not exist")


async def _load_decidable(tx: Transaction, approval_id: int) -> Approval:
    """Load a pending request that the caller may decide."""
    approval = await load_approval(tx, approval_id)
    role = await find_role(tx, approval.client_id)
    roles = await load_approver_roles(tx, approval.client_id, approval.kind, approval.requested_by_id)
    if role not in roles:
        raise Forbidden(f"The role {role} cannot decide approval {approval_id}; it needs {' or '.join(roles)}")
    if approval.requested_by_id == tx.caller.user_id:
        raise Forbidden(f"You requested approval {approval_id}, so another person has to decide it")
    if not approval.is_pending:
        raise _already_decided(approval)
    return approval


async def _perform(tx: Transaction, approval: Approval) -> str:
    """Do what was requested. Return why it is outdated, or an empty text."""
    await tx.savepoint(SAVEPOINT)
    try:
        await perform_act(tx, approval)
    except (OutdatedRequest, Conflict, ValidationError) as error:
        await tx.roll_back_to(SAVEPOINT)
        current = await load_approval(tx, approval.id)
        if not current.is_pending:
            raise _already_decided(current) from None
        if not isinstance(error, OutdatedRequest):
            raise
        return str(error)
    return ""


async def _decide(tx: Transaction, approval: Approval, status: ApprovalStatus, reason: str | None) -> None:
    """Record a decision. Raises Conflict, which undoes everything, if someone else has just decided."""
    if not await repository.set_status(tx, approval.client_id, [approval.id], status, reason):
        raise _already_decided(await load_approval(tx, approval.id))
    tx.emit(ResourceEvent(EVENTS[status], approval.client_id, (approval.id,)))
    employee_id = approval.subject.employee_id
    if approval.kind == ApprovalKind.EMPLOYEE_DETAILS and employee_id and status in DECISIONS:
        await queue_details_decision(tx, approval.client_id, employee_id, DECISIONS[status])


async def _mail_requests(
    tx: Transaction, client_id: int, requested: Sequence[ApprovalSubject], pending: Set[ApprovalSubject]
) -> None:
    """Notify the employee, and the approvers unless the request replaces a pending one about the same employee."""
    new = [subject for subject in requested if subject.employee_id is None or subject not in pending]
    if requested[0].kind != ApprovalKind.EMPLOYEE_DETAILS:
        if new:
            await queue_approval_request(tx, client_id, len(new))
        return
    for subject in new:
        if subject.employee_id is not None:
            await queue_details_approval_request(tx, client_id, subject.employee_id)
    await queue_details_requested(tx)


async def _close(tx: Transaction, client_id: int, ids: Sequence[int], status: ApprovalStatus) -> None:
    if ids:
        await repository.set_status(tx, client_id, ids, status)
        tx.emit(ResourceEvent(EVENTS[status], client_id, tuple(ids)))


def _already_decided(approval: Approval) -> Conflict:
    return Conflict(f"Approval {approval.id} is not pending: it is {approval.status}")


def _is_same(request: ApprovalRequest, pending: Approval | None) -> bool:
    if pending is None or pending.fingerprint != request.fingerprint:
        return False
    return json_text(pending.details) == json_text(request.details)


def _element(tx: Transaction, approval: Approval) -> dict[str, Any]:
    hidden = tx.caller.hide_identifiers
    if approval.kind in ACCOUNT_KINDS and not hidden:
        note_identifier_read(f"/clients/{approval.client_id}/approvals")
    return approval_json(approval, hide_identifiers=hidden)
