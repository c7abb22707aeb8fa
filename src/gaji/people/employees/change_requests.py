"""Changes of their own details that employees request, and an officer approves."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

import msgspec
from msgspec.structs import replace

from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalSubject, OutdatedRequest
from gaji.approvals.service import find_approvals, fingerprint, request_approval, withdraw_request
from gaji.core.errors import FieldError, Forbidden, NotFound
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import Schema, to_record
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees import repository
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.employees.events import TaxDetailsChanged
from gaji.people.employees.notes import change_notes
from gaji.people.employees.schemas import EMPLOYEE, EmployeeAddress, EmployeeBankAccount, EmployeeInput
from gaji.people.employees.tax_identity import affects_tax_forms
from gaji.people.self_service.access import client_view, is_own_record

REQUESTABLE = ("physical_address", "payment_method", "bank_account", "paynow")
"""The attributes that employees can ask to change."""
CHANGED_SINCE = "the address or the payment details of the employee have changed since it was requested"


class RequestedDetails(msgspec.Struct, frozen=True):
    """The details of an employee once the request is approved."""

    physical_address: EmployeeAddress | None
    payment_method: str
    bank_account: EmployeeBankAccount | None
    paynow: str | None


DETAILS = Schema(
    "employee",
    [attribute for attribute in EMPLOYEE.attributes if attribute.name in REQUESTABLE],
    struct=RequestedDetails,
)
"""Only these attributes are checked, because employees cannot correct the others."""


class RequestOutcome(Enum):
    """What became of the request of an employee."""

    SENT = auto()
    CANCELLED = auto()
    """The details are the same as before, so the pending request was cancelled."""
    UNCHANGED = auto()


async def request_change(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> RequestOutcome:
    """Request a change as the employee. It replaces a pending request, or cancels it if the details are the same.

    Attributes other than those of `REQUESTABLE` are ignored.
    """
    async with tenant.transaction() as tx:
        client_id = await _require_own_record(tx, employee_id)
        await repository.lock_change_requests(tx, employee_id)
        before, after = await _compare(tx, client_id, employee_id, body)
        if before == after:
            is_cancelled = await _cancel_pending(tx, client_id, employee_id)
            return RequestOutcome.CANCELLED if is_cancelled else RequestOutcome.UNCHANGED
        subject = ApprovalSubject(ApprovalKind.EMPLOYEE_DETAILS, employee_id=employee_id)
        details = {"before": before, "after": after}
        await request_approval(tx, client_id, ApprovalRequest(subject, details, fingerprint(tx, client_id, before)))
        return RequestOutcome.SENT


async def list_notes(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> list[FieldError]:
    """Return what is unusual about the details that a request would change. Nothing is saved."""
    async with tenant.snapshot() as tx:
        client_id = await _require_own_record(tx, employee_id)
        before, after = await _compare(tx, client_id, employee_id, body)
    return change_notes(before, after)


async def load_latest_request(tenant: Tenant, employee_id: int) -> Approval | None:
    """Return the last change that an employee requested, whatever became of it."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        filters = {"kind": ApprovalKind.EMPLOYEE_DETAILS, "employee_id": employee_id}
        approvals, _ = await find_approvals(tx, client_id, filters, ListPage(1, 1))
    return approvals[0] if approvals else None


async def cancel_request(tenant: Tenant, employee_id: int) -> None:
    """Cancel the pending request of the caller. Raises NotFound if there is none."""
    async with tenant.transaction() as tx:
        client_id = await _require_own_record(tx, employee_id)
        if not await _cancel_pending(tx, client_id, employee_id):
            raise NotFound(f"Employee {employee_id} has no pending request")


async def change_approved_details(tx: Transaction, approval: Approval) -> None:
    """Change the details of an employee as they were approved."""
    employee_id = approval.subject.employee_id or 0
    client_id = await lock_employee(tx, employee_id)
    current = await repository.load_employee(tx, client_id, employee_id)
    if fingerprint(tx, client_id, _details(current)) != approval.fingerprint:
        raise OutdatedRequest(CHANGED_SINCE)
    after = msgspec.convert(approval.details["after"], RequestedDetails)
    changed = replace(current, **{name: getattr(after, name) for name in REQUESTABLE})
    await repository.update(tx, client_id, employee_id, before=current, after=changed)
    if affects_tax_forms(current, changed):
        tx.emit(TaxDetailsChanged(client_id, (employee_id,)))
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


async def _require_own_record(tx: Transaction, employee_id: int) -> int:
    client_id = await require_readable_employee(tx, employee_id)
    if not await is_own_record(tx, employee_id):
        raise Forbidden("Employees request changes of their own details only")
    return client_id


async def _compare(
    tx: Transaction, client_id: int, employee_id: int, body: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the details as they are, and as a request would make them. Raises ValidationError."""
    requested = {name: value for name, value in body.items() if name in REQUESTABLE}
    async with client_view(tx, client_id):
        current = await repository.load_employee(tx, client_id, employee_id)
    return _details(current), _details(DETAILS.parse_update(requested, to_record(current)).data)


async def _cancel_pending(tx: Transaction, client_id: int, employee_id: int) -> bool:
    """Cancel the pending request of an employee. Return whether there was one."""
    filters = {"kind": ApprovalKind.EMPLOYEE_DETAILS, "employee_id": employee_id, "decided": False}
    pending, _ = await find_approvals(tx, client_id, filters)
    for approval in pending:
        await withdraw_request(tx, approval)
    return bool(pending)


def _details(employee: EmployeeInput | RequestedDetails) -> dict[str, Any]:
    return {name: msgspec.to_builtins(getattr(employee, name)) for name in REQUESTABLE}
