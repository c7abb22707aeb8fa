"""What can be written of a leave adjustment."""

from gaji.core.errors import Errors
from gaji.core.validation import Attribute, DateType, Integer, Record, Rule, Schema, Text
from gaji.law.quantities import MILLI
from gaji.leave.balances.ledger import Ledger
from gaji.leave.quantities import MOST_DAYS, Thousandths

LEAVE_ADJUSTMENT = Schema(
    "leave_adjustment",
    (
        Attribute("type_id", Integer(minimum=1), "The leave type.", required=True, example=4),
        Attribute("date", DateType(), "From when it counts.", required=True, example="2026-01-05"),
        Attribute(
            "days",
            Thousandths("days", -MOST_DAYS * MILLI, MOST_DAYS * MILLI),
            "Days that are granted, or below zero taken back.",
            required=True,
            example=6,
        ),
        Attribute(
            "reason", Text(min_length=1, max_length=500), "Why.", required=True, example="A citizen child under 7"
        ),
    ),
    read_only=("id", "employee_id", "type"),
)


def fits(ledger: Ledger) -> Rule:
    """That an adjustment is of a type that there is, of a day in service, and changes something."""

    def check(record: Record, errors: Errors) -> None:
        type_id, day = record["type_id"], record["date"]
        if type_id is not None and ledger.type_of(type_id) is None:
            errors.setdefault("type_id", f"there is no leave type {type_id} in this client")
        if day is not None and not ledger.serves(day):
            errors.setdefault("date", f"{day} is outside the service of this employee")
        if record["days"] == 0:
            errors.setdefault("days", "must not be zero")

    return check
