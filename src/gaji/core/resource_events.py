"""Events about the records of a client that integrations can follow.

A service emits them with `tx.emit`. They are stored in the same transaction and listed by the event feed.
"""

from dataclasses import dataclass
from enum import StrEnum


class EventType(StrEnum):
    """What happened. The value names the resource and the change."""

    EMPLOYEE_CREATED = "employee.created"
    EMPLOYEE_UPDATED = "employee.updated"
    EMPLOYEE_LEFT = "employee.left"
    EMPLOYEE_DELETED = "employee.deleted"
    CALCULATION_CHANGED = "calculation.changed"
    PAYMENT_RUN_OPENED = "payment_run.opened"
    PAYMENT_RUN_CALCULATED = "payment_run.calculated"
    PAYMENT_RUN_FINALISED = "payment_run.finalised"
    PAYMENT_RUN_REOPENED = "payment_run.reopened"
    PAYMENT_RUN_PAID = "payment_run.paid"
    PAYMENT_RUN_UNPAID = "payment_run.unpaid"
    PAYMENT_RUN_RELEASED = "payment_run.released"
    PAYMENT_RUN_DELETED = "payment_run.deleted"
    PAYSLIP_RELEASED = "payslip.released"
    LEAVE_REQUESTED = "leave.requested"
    LEAVE_APPROVED = "leave.approved"
    LEAVE_DECLINED = "leave.declined"
    LEAVE_CANCELLED = "leave.cancelled"
    LEAVE_CHANGED = "leave.changed"
    REPORT_READY = "report.ready"
    REPORT_FAILED = "report.failed"
    TAX_CERTIFICATE_RELEASED = "tax_certificate.released"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_APPROVED = "approval.approved"
    APPROVAL_REJECTED = "approval.rejected"
    APPROVAL_CANCELLED = "approval.cancelled"
    LAW_UPDATED = "law.updated"

    @property
    def resource_type(self) -> str:
        """The kind of record that the event names."""
        return _RESOURCE_TYPES.get(self) or self.split(".")[0]

    @property
    def description(self) -> str:
        """When the event occurs, as a sentence."""
        return _DESCRIPTIONS[self]


_RESOURCE_TYPES = {
    EventType.LEAVE_REQUESTED: "leave_request",
    EventType.LEAVE_APPROVED: "leave_request",
    EventType.LEAVE_DECLINED: "leave_request",
    EventType.LEAVE_CANCELLED: "leave_request",
    EventType.LEAVE_CHANGED: "employee",
    EventType.LAW_UPDATED: "client",
}
"""Where it is not the first word of the type."""

_DESCRIPTIONS = {
    EventType.EMPLOYEE_CREATED: "An employee was created.",
    EventType.EMPLOYEE_UPDATED: "Attributes, children, opening balances or service of an employee changed.",
    EventType.EMPLOYEE_LEFT: "The end of an employee's service was recorded or changed. It may be in the future.",
    EventType.EMPLOYEE_DELETED: "An employee was deleted.",
    EventType.CALCULATION_CHANGED: "A calculation was created, updated or deleted.",
    EventType.PAYMENT_RUN_OPENED: "A payment run was opened.",
    EventType.PAYMENT_RUN_CALCULATED: "All payslips of an open payment run were calculated.",
    EventType.PAYMENT_RUN_FINALISED: "A payment run was finalised.",
    EventType.PAYMENT_RUN_REOPENED: "A finalised payment run was unfinalised.",
    EventType.PAYMENT_RUN_PAID: "A payment run was marked as paid.",
    EventType.PAYMENT_RUN_UNPAID: "A payment run was marked as not paid.",
    EventType.PAYMENT_RUN_RELEASED: "The payslips of a payment run were released.",
    EventType.PAYMENT_RUN_DELETED: "A payment run was deleted.",
    EventType.PAYSLIP_RELEASED: "A payslip was released to its employee.",
    EventType.LEAVE_REQUESTED: "An employee requested leave, or the withdrawal of approved leave.",
    EventType.LEAVE_APPROVED: "A leave request was approved.",
    EventType.LEAVE_DECLINED: "A leave request, or its withdrawal, was declined.",
    EventType.LEAVE_CANCELLED: "A leave request was cancelled or withdrawn.",
    EventType.LEAVE_CHANGED: "Leave days or leave adjustments of an employee changed.",
    EventType.REPORT_READY: "A queued report is complete.",
    EventType.REPORT_FAILED: "A queued report failed.",
    EventType.TAX_CERTIFICATE_RELEASED: "A tax certificate was released to its employee.",
    EventType.APPROVAL_REQUESTED: "The approval of a second person was requested.",
    EventType.APPROVAL_APPROVED: "A request was approved, and what it asked for was done.",
    EventType.APPROVAL_REJECTED: "A request was rejected.",
    EventType.APPROVAL_CANCELLED: "A request was cancelled, or became outdated.",
    EventType.LAW_UPDATED: "The statutory parameters changed, so the drafts of the client are recalculated.",
}


@dataclass(frozen=True)
class ResourceEvent:
    """An event of one type about one or more records of a client."""

    type: EventType
    client_id: int
    resource_ids: tuple[int | str, ...]
    """IDs, or UUIDs of reports."""
