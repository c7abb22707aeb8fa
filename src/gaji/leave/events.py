"""Events of leave."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class LeaveRecorded:
    """Leave days or adjustments of an employee changed."""

    client_id: int
    employee_id: int


@dataclass(frozen=True)
class LeavePoliciesChanged:
    """Leave types or policies of a client changed."""

    client_id: int


@dataclass(frozen=True)
class LeaveRequested:
    """An employee or someone for them requested leave."""

    client_id: int
    employee_id: int
    days: tuple[date, ...]
    leave_types: tuple[str, ...]
    """Their names. Built-in types have a system name until they are renamed."""


@dataclass(frozen=True)
class LeaveDecided:
    """Someone decided about a leave request or the withdrawal of approved leave."""

    client_id: int
    employee_id: int
    days: tuple[date, ...]
    decision: str
    """Such as `approved` or `withdrawal declined`."""
    comment: str | None
