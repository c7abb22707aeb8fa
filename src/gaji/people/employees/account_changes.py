"""Changes of the accounts that employees are paid to, which can need the approval of a second person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalSubject, OutdatedRequest
from gaji.approvals.service import fingerprint, is_required, request_approvals
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.access import lock_employee
from gaji.people.employees.schemas import EmployeeBankAccount, EmployeeInput

ACCOUNTS = ("bank_account", "paynow")
"""The attributes whose change has to be approved."""
HELD_BACK = ("payment_method", *ACCOUNTS)
"""The attributes that a held change does not save: the payment method requires the account."""
PENDING_WARNING = "is not changed yet: another person has to approve it (approval {id})"
CHANGED_SINCE = "the payment details of the employee have changed since it was requested"


@dataclass(frozen=True)
class HeldChange:
    """A change that is saved without the new account, which awaits approval."""

    employee: EmployeeInput
    """The attributes to save now."""
    approval: Approval

    @property
    def warnings(self) -> dict[str, str]:
        """What is not saved yet, as warnings about the body."""
        details = self.approval.details
        changed = [name for name in HELD_BACK if details["before"][name] != details["after"][name]]
        return {name: PENDING_WARNING.format(id=self.approval.id) for name in changed}


async def hold_account_changes(
    tx: Transaction, client_id: int, changes: Mapping[int, tuple[EmployeeInput, EmployeeInput]]
) -> dict[int, HeldChange]:
    """Request approval of new accounts if the client requires it. Return the changes to save instead, by employee.

    `changes` has the old and new attributes of locked employees, by ID.
    """
    account_changes = {employee_id: pair for employee_id, pair in changes.items() if changes_account(*pair)}
    if not account_changes or not await is_required(tx, client_id):
        return {}
    requests = [_request(tx, client_id, employee_id, *pair) for employee_id, pair in account_changes.items()]
    approvals = await request_approvals(tx, client_id, requests)
    return {
        employee_id: HeldChange(replace(after, **{name: getattr(before, name) for name in HELD_BACK}), approval)
        for (employee_id, (before, after)), approval in zip(account_changes.items(), approvals, strict=True)
    }


async def change_approved_account(tx: Transaction, approval: Approval) -> None:
    """Change the account of an employee as it was approved."""
    employee_id = approval.subject.employee_id or 0
    client_id = await lock_employee(tx, employee_id)
    current = await repository.load_employee(tx, client_id, employee_id)
    if fingerprint(tx, client_id, _payment_details(current)) != approval.fingerprint:
        raise OutdatedRequest(CHANGED_SINCE)
    after = msgspec.convert(approval.details["after"], ApprovedAccount)
    changed = replace(current, **{name: getattr(after, name) for name in HELD_BACK})
    await repository.update(tx, client_id, employee_id, before=current, after=changed)
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


class ApprovedAccount(msgspec.Struct, frozen=True):
    """How an employee is paid once it is approved."""

    payment_method: str
    bank_account: EmployeeBankAccount | None
    paynow: str | None


def changes_account(before: EmployeeInput, after: EmployeeInput) -> bool:
    """Return whether an update changes the account that an employee is paid to."""
    return any(getattr(before, name) != getattr(after, name) for name in ACCOUNTS)


def _request(
    tx: Transaction, client_id: int, employee_id: int, before: EmployeeInput, after: EmployeeInput
) -> ApprovalRequest:
    old = _payment_details(before)
    return ApprovalRequest(
        ApprovalSubject(ApprovalKind.EMPLOYEE_BANK_ACCOUNT, employee_id=employee_id),
        {"before": old, "after": _payment_details(after)},
        fingerprint(tx, client_id, old),
    )


def _payment_details(employee: EmployeeInput) -> dict[str, Any]:
    return {name: msgspec.to_builtins(getattr(employee, name)) for name in HELD_BACK}
