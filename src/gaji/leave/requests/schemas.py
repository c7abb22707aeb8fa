"""Request schemas of leave requests and decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gaji.core.field_types import Text
from gaji.core.validation import Attribute, Schema
from gaji.leave.days.schemas import DATES

READ_ONLY = ("id", "employee_id", "status", "answer", "decided_at", "created_at", "updated_at")
NOTE = Text(max_length=500)


class LeaveRequestInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave request as an employee writes it."""

    dates: Sequence[Mapping[str, Any]]
    reason: str | None


class DecisionInput(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a leave request."""

    answer: str | None


LEAVE_REQUEST = Schema(
    "leave_request",
    (DATES, Attribute("reason", NOTE, "The employee's reason.", example="A wedding")),
    read_only=READ_ONLY,
    struct=LeaveRequestInput,
)
DECISION = Schema(
    "leave_request",
    (Attribute("answer", NOTE, "The answer to the employee.", example="Enjoy it"),),
    read_only=("id", "employee_id", "dates", "status", "decided_at", "created_at", "updated_at"),
    struct=DecisionInput,
    title="LeaveRequestAnswer",
)
