"""What an employee's service can be asked to do, and when it is refused."""

from dataclasses import dataclass
from datetime import date

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Conflict, Errors
from gaji.core.validation import Attribute, Boolean, DateType, Record, Rule, Schema

LATEST_DATE = date(2199, 12, 31)

END_SERVICE = Schema(
    "employee_action",
    (
        Attribute("termination_date", DateType(), "Last day of service.", required=True, example="2026-03-31"),
        Attribute(
            "termination_code",
            one_of("termination_code"),
            "Why, from the list `termination_code`.",
            required=True,
            example=1,
        ),
        Attribute("ir21", Boolean(), "Whether an IR21 form is required.", default=False),
    ),
    read_only=(),
)

REINSTATE = Schema(
    "employee_action",
    (Attribute("appointment_date", DateType(), "First day of the new service.", required=True, example="2026-05-01"),),
    read_only=(),
)


@dataclass(frozen=True)
class ServicePeriod:
    """The latest service period of an employee."""

    id: int
    start_date: date
    end_date: date | None

    @property
    def is_open(self) -> bool:
        """Whether the employee has not been terminated."""
        return self.end_date is None


def ends_after_start(period: ServicePeriod) -> Rule:
    """Service cannot end before it began."""

    def check(record: Record, errors: Errors) -> None:
        end = record["termination_date"]
        if end and end < period.start_date:
            errors.add(
                "termination_date", INVALID, reason=f"must not be before the start of service {period.start_date}"
            )
        elif end and end > LATEST_DATE:
            errors.add("termination_date", INVALID, reason=f"must not be after {LATEST_DATE}")

    return check


def begins_after_end(period: ServicePeriod) -> Rule:
    """Someone who left does not come back before they left."""

    def check(record: Record, errors: Errors) -> None:
        start = record["appointment_date"]
        if start and period.end_date and start <= period.end_date:
            errors.add(
                "appointment_date", INVALID, reason=f"must be after the end of the last service {period.end_date}"
            )
        elif start and start > LATEST_DATE:
            errors.add("appointment_date", INVALID, reason=f"must not be after {LATEST_DATE}")

    return check


def start_between(before: date | None, end: date | None, first_wave_end: date | None) -> Rule:
    """Service begins after the one before it, not after its own end, and not after the first wave was left."""

    def check(record: Record, errors: Errors) -> None:
        start = record["appointment_date"]
        if start is None:
            return
        if before and start <= before:
            errors.setdefault("appointment_date", f"must be after the end of the last service {before}")
        if end and start > end:
            errors.setdefault("appointment_date", f"must not be after the end of service {end}")
        if first_wave_end and start > first_wave_end:
            errors.setdefault(
                "appointment_date", f"must not be after {first_wave_end}, when the employee left their first wave"
            )

    return check


def born_before(first_start: date) -> Rule:
    """Nobody served before they were born."""

    def check(record: Record, errors: Errors) -> None:
        if record["birthdate"] and record["birthdate"] > first_start:
            errors.setdefault("birthdate", f"must not be after the start of an earlier service {first_start}")

    return check


def check_left(period: ServicePeriod) -> None:
    """Only someone who left can come back."""
    if period.is_open:
        raise Conflict(f"The employee has been in service since {period.start_date} and cannot be reinstated")


def check_undo(period: ServicePeriod) -> None:
    """Only the most recent termination can be cancelled, and not after a reinstatement."""
    if period.is_open:
        raise Conflict(f"There is no termination to cancel: the employee has been in service since {period.start_date}")
