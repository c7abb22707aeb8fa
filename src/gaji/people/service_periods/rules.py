"""Checks of service periods."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.error_codes import DATE_TOO_LATE, NOT_APPLICABLE
from gaji.core.errors import Conflict, ErrorCode, Errors
from gaji.core.validation import Record, Rule
from gaji.law.pay import PayParameters, notice
from gaji.people.service_periods.schemas import TerminationInput

BEFORE_SERVICE_START = ErrorCode("before_service_start", "must not be before the start of service {start}")
NOT_AFTER_LAST_SERVICE = ErrorCode(
    "not_after_last_service", "must be after the end of the previous service {previous_end}"
)
AFTER_SERVICE_END = ErrorCode("after_service_end", "must not be after the end of service {end}")
AFTER_FIRST_WAVE = ErrorCode(
    "after_first_wave", "must not be after {first_wave_end}, the last day of the employee's first wave"
)
NOTICE_AFTER_LAST_DAY = ErrorCode("notice_after_last_day", "must not be after the last day of service {last_day}")
BORN_AFTER_SERVICE = ErrorCode("born_after_service", "must not be after the start of an earlier service {start}")

ENDED_BY_NOTICE = frozenset({1, 2, 4})
"""The termination codes of services that end by notice: resignation, termination with notice and retrenchment."""


@dataclass(frozen=True)
class ServicePeriod:
    """The latest service period of an employee."""

    id: int
    start_date: date
    end_date: date | None
    termination_code: int | None
    ir21: bool | None
    notice_date: date | None
    """None for a termination that was recorded before there were notice dates."""
    ir21_filed_on: date | None

    def termination(self) -> Record:
        """Return the recorded termination, which an update keeps where it supplies nothing else."""
        if self.is_open:
            return {}
        return {
            "termination_date": self.end_date,
            "termination_code": self.termination_code,
            "ir21": self.ir21,
            "ir21_filed_on": self.ir21_filed_on,
        }

    @property
    def is_open(self) -> bool:
        """Whether the employee has not been terminated."""
        return self.end_date is None


def termination_date_rule(period: ServicePeriod) -> Rule:
    """Return the check that service does not end before it starts."""

    def check(record: Record, errors: Errors) -> None:
        end = record["termination_date"]
        if end and end < period.start_date:
            errors.add("termination_date", BEFORE_SERVICE_START, start=period.start_date)

    return check


def notice_date_rule(period: ServicePeriod, supplied: Mapping[str, Any], today: date) -> Rule:
    """Return the check that notice is not after the last day of service, which also sets the default.

    A notice date that is not supplied keeps its value, or is the day of recording; neither is after the last day.
    """

    def check(record: Record, errors: Errors) -> None:
        last_day, notice = record["termination_date"], record["notice_date"]
        if notice is None and last_day and "notice_date" not in errors:
            stored = None if "notice_date" in supplied else period.notice_date
            record["notice_date"] = min(stored or today, last_day)
        elif notice and last_day and notice > last_day:
            errors.add("notice_date", NOTICE_AFTER_LAST_DAY, last_day=last_day)

    return check


def ir21_filing_rule(period: ServicePeriod, supplied: Mapping[str, Any], today: date) -> Rule:
    """Return the check that form IR21 is required, and was sent neither before the service nor after today.

    If the form is no longer required, the recorded day is removed.
    """

    def check(record: Record, errors: Errors) -> None:
        filed_on = record["ir21_filed_on"]
        if filed_on is None:
            return
        if not record["ir21"] and "ir21" not in errors:
            if "ir21_filed_on" in supplied:
                errors.add("ir21_filed_on", NOT_APPLICABLE, attribute="ir21", value="true")
            record["ir21_filed_on"] = None
        elif filed_on < period.start_date:
            errors.add("ir21_filed_on", BEFORE_SERVICE_START, start=period.start_date)
        elif filed_on > today:
            errors.add("ir21_filed_on", DATE_TOO_LATE, latest=today)

    return check


def notice_warnings(parameters: PayParameters, period: ServicePeriod, termination: TerminationInput) -> dict[str, str]:
    """Return a warning if the notice of a termination is shorter than the law requires without an agreement."""
    days = notice.notice_days(parameters, period.start_date, termination.notice_date)
    last_day = notice.last_day_after_notice(parameters, period.start_date, termination.notice_date)
    if termination.termination_code not in ENDED_BY_NOTICE or termination.termination_date >= last_day:
        return {}
    return {
        "notice_date": f"The notice is shorter than {days} days, the minimum if the contract does not state a notice "
        f"period. With {days} days of notice the last day of service is {last_day}."
    }


def reinstatement_date_rule(period: ServicePeriod) -> Rule:
    """Return the check that a new service starts after the previous one."""

    def check(record: Record, errors: Errors) -> None:
        start = record["appointment_date"]
        if start and period.end_date and start <= period.end_date:
            errors.add("appointment_date", NOT_AFTER_LAST_SERVICE, previous_end=period.end_date)

    return check


def appointment_date_rule(previous_end: date | None, end: date | None, first_wave_end: date | None) -> Rule:
    """Return the check that service starts after the previous one, and not after its own end or the first wave."""

    def check(record: Record, errors: Errors) -> None:
        start = record["appointment_date"]
        if start is None:
            return
        if previous_end and start <= previous_end:
            errors.add_if_absent("appointment_date", NOT_AFTER_LAST_SERVICE, previous_end=previous_end)
        if end and start > end:
            errors.add_if_absent("appointment_date", AFTER_SERVICE_END, end=end)
        if first_wave_end and start > first_wave_end:
            errors.add_if_absent("appointment_date", AFTER_FIRST_WAVE, first_wave_end=first_wave_end)

    return check


def born_before_rule(first_start: date) -> Rule:
    """Return the check that an employee was born before the first service."""

    def check(record: Record, errors: Errors) -> None:
        if record["birthdate"] and record["birthdate"] > first_start:
            errors.add_if_absent("birthdate", BORN_AFTER_SERVICE, start=first_start)

    return check


def require_can_reinstate(period: ServicePeriod) -> None:
    """Raise Conflict if the employee is in service."""
    if period.is_open:
        raise Conflict(f"The employee has been in service since {period.start_date} and cannot be reinstated")


def require_can_undo(period: ServicePeriod) -> None:
    """Raise Conflict if there is no termination to cancel, or the employee was reinstated after it."""
    if period.is_open:
        raise Conflict(f"There is no termination to cancel: the employee has been in service since {period.start_date}")
