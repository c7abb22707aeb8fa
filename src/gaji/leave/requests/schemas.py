"""Request schemas of leave requests and decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import OneOf, Text
from gaji.core.validation import Attribute, Record, Schema
from gaji.leave.days.schemas import DATES

MORNING, AFTERNOON = "morning", "afternoon"
READ_ONLY = ("id", "employee_id", "status", "answer", "decided_at", "created_at", "updated_at")
NOTE = Text(max_length=500)

PART_OF_WHOLE_DAY = ErrorCode("part_of_whole_day", "is only allowed when every date has hours")


class LeaveRequestInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave request as an employee writes it."""

    dates: Sequence[Mapping[str, Any]]
    reason: str | None
    part_of_day: str | None
    """The half of the day, if the employee said which."""


class DecisionInput(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a leave request."""

    answer: str | None


def check_part_of_day(record: Record, errors: Errors) -> None:
    """Add an error if a part of the day is given, but a whole day is requested."""
    if record["part_of_day"] and any(day["millihours"] is None for day in record["dates"] or ()):
        errors.add_if_absent("part_of_day", PART_OF_WHOLE_DAY)


LEAVE_REQUEST = Schema(
    "leave_request",
    (
        DATES,
        Attribute("reason", NOTE, "The employee's reason.", example="A wedding"),
        Attribute(
            "part_of_day",
            OneOf((MORNING, AFTERNOON), "part_of_day"),
            "Which half of each day, if all dates have `hours`.",
        ),
    ),
    read_only=READ_ONLY,
    rules=(check_part_of_day,),
    struct=LeaveRequestInput,
)
DECISION = Schema(
    "leave_request",
    (Attribute("answer", NOTE, "The answer to the employee.", example="Enjoy it"),),
    read_only=("id", "employee_id", "dates", "part_of_day", "status", "decided_at", "created_at", "updated_at"),
    struct=DecisionInput,
    title="LeaveRequestAnswer",
)
