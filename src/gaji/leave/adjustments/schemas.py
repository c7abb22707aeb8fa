"""Request schema of leave adjustments."""

from calendar import monthrange
from datetime import date

import msgspec

from gaji.core import clock
from gaji.core.error_codes import DATE_TOO_LATE, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import DateType, Integer, Text
from gaji.core.validation import Attribute, Record, Rule, Schema
from gaji.law.quantities import MILLI
from gaji.leave.balances.ledger import LeaveLedger
from gaji.leave.days.validate import OUTSIDE_SERVICE
from gaji.leave.quantities import MAX_DAYS, Thousandths

MAX_YEARS_AHEAD = 5

ZERO_DAYS = ErrorCode("zero_days", "must not be zero")


class AdjustmentInput(msgspec.Struct, frozen=True, kw_only=True):
    """A leave adjustment as a caller writes it."""

    type_id: int
    date: date
    millidays: int
    """Negative values deduct days."""
    reason: str


LEAVE_ADJUSTMENT = Schema(
    "leave_adjustment",
    (
        Attribute("type_id", Integer(minimum=1), "The leave type.", required=True, example=4),
        Attribute(
            "date",
            DateType(),
            f"The day from which it counts, at most {MAX_YEARS_AHEAD} years from today.",
            required=True,
            example="2026-01-05",
        ),
        Attribute(
            "days",
            Thousandths("days", -MAX_DAYS * MILLI, MAX_DAYS * MILLI),
            "Days to grant. Negative values deduct days.",
            required=True,
            example=6,
            field="millidays",
        ),
        Attribute(
            "reason",
            Text(min_length=1, max_length=500),
            "The reason.",
            required=True,
            example="A citizen child under 7",
        ),
    ),
    read_only=("id", "employee_id", "type"),
    struct=AdjustmentInput,
)


def adjustment_rule(ledger: LeaveLedger, stored_date: date | None = None) -> Rule:
    """Return the rule that an adjustment has a known type, a day in service, and a number of days other than zero.

    The date may be some years ahead at most, unless it is the stored one.
    """

    def check(record: Record, errors: Errors) -> None:
        type_id, day = record["type_id"], record["date"]
        if day is not None and day != stored_date and day > (latest := _latest_date()):
            errors.add_if_absent("date", DATE_TOO_LATE, latest=latest)
        if type_id is not None and ledger.find_type(type_id) is None:
            errors.add_if_absent("type_id", UNKNOWN_ID, resource="leave type", id=type_id)
        if day is not None and not ledger.serves(day):
            errors.add_if_absent("date", OUTSIDE_SERVICE, date=day)
        if record["millidays"] == 0:
            errors.add_if_absent("days", ZERO_DAYS)

    return check


def _latest_date() -> date:
    today = clock.today()
    days_in_month = monthrange(today.year + MAX_YEARS_AHEAD, today.month)[1]
    return today.replace(year=today.year + MAX_YEARS_AHEAD, day=min(today.day, days_in_month))
