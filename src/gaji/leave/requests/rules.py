"""What can be written of a leave request and of the answer to it."""

from gaji.core.validation import Attribute, Schema, Text
from gaji.leave.days.rules import DATES

READ_ONLY = ("id", "employee_id", "status", "answer", "decided_at", "created_at", "updated_at")
WORDS = Text(max_length=500)

LEAVE_REQUEST = Schema(
    "leave_request",
    (DATES, Attribute("reason", WORDS, "Why, if the employee wants to say.", example="A wedding")),
    read_only=READ_ONLY,
)
DECISION = Schema(
    "leave_request",
    (Attribute("answer", WORDS, "What the employee is told.", example="Enjoy it"),),
    read_only=("id", "employee_id", "dates", "reason", "status", "decided_at", "created_at", "updated_at"),
)
