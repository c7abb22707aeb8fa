"""The days on which monthly payments to authorities are due.

A due date on a Saturday, a Sunday or a public holiday moves to the next working day where the authority says so.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.parameters import History, ParameterFiles, TableReader

SATURDAY = 5
ONE_DAY = timedelta(days=1)
NEXT_WORKING_DAY, NEVER = "next_working_day", "never"
MAX_DAY = 28


@dataclass(frozen=True)
class DueDay:
    """The day of a month after the month that a payment is for."""

    day: int
    months_later: int
    moves: bool


@dataclass(frozen=True)
class DueDateParameters:
    """The due dates of monthly payments."""

    cpf: History[DueDay]
    foreign_worker_levy: History[DueDay]


def read_parameters(files: ParameterFiles) -> DueDateParameters:
    """Read the parameters from `due_dates.toml`."""
    subject = files.subject("due_dates")
    parameters = DueDateParameters(
        cpf=subject.history("cpf", read_due_day),
        foreign_worker_levy=subject.history("foreign_worker_levy", read_due_day),
    )
    subject.reject_unknown()
    return parameters


def read_due_day(row: TableReader) -> DueDay:
    """Read a day that every month has."""
    day = row.whole_number("day")
    if not 1 <= day <= MAX_DAY:
        raise row.error("day", f"must be 1 to {MAX_DAY}")
    moves = row.choice("moves", (NEXT_WORKING_DAY, NEVER))
    return DueDay(day, row.whole_number("months_later"), moves == NEXT_WORKING_DAY)


def due_date(history: History[DueDay], month: Month, calendar: HolidayCalendar) -> date:
    """Return the day on which the payment for a month is due.

    The holidays of a year that is not gazetted yet are not known; then only weekends move the day.
    """
    rule = history.nearest(month.first_day).value
    day = _day(rule, month)
    return next_working_day(day, calendar) if rule.moves else day


def next_working_day(day: date, calendar: HolidayCalendar) -> date:
    """Return the first day from this one on that is neither a Saturday, a Sunday nor a public holiday."""
    while not is_working_day(day, calendar):
        day += ONE_DAY
    return day


def previous_working_day(day: date, calendar: HolidayCalendar) -> date:
    """Return the last day up to this one that is neither a Saturday, a Sunday nor a public holiday."""
    while not is_working_day(day, calendar):
        day -= ONE_DAY
    return day


def is_working_day(day: date, calendar: HolidayCalendar) -> bool:
    """Return whether a day is neither a Saturday, a Sunday nor a public holiday."""
    return day.weekday() < SATURDAY and day not in calendar.names


def _day(rule: DueDay, month: Month) -> date:
    later = month + rule.months_later
    return date(later.year, later.month, rule.day)
