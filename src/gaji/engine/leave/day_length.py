"""The length of a leave day, by the employee's regular hours on the date."""

from dataclasses import dataclass
from datetime import date

from gaji.engine.regular_hours import WorkWeek
from gaji.law.holidays import HolidayCalendar
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay.working_days import WHOLE
from gaji.law.quantities import MILLI, format_millis
from gaji.law.rounding import divide_half_up


class LeaveDayError(ValueError):
    """Leave cannot be taken on the date, or not for that many hours. The message says why."""


class LeaveDayNotCovered(LeaveDayError):
    """The law is not known for the date, so its length is not either."""

    def __init__(self, message: str, first: date, last: date) -> None:
        super().__init__(message)
        self.first = first
        self.last = last


@dataclass(frozen=True)
class LeaveDayLength:
    """The length of a date as leave and as a working day."""

    millihours: int
    """The hours for which leave can be taken."""
    half_days: int
    """The half days of leave if all of it is taken: 2 or 1."""
    working_half_days: int
    """The half days that it counts as a working day of the month."""

    def portion_millidays(self, millihours: int | None) -> tuple[int, int]:
        """The portion of a leave day, and of a working day, for a number of hours. None: all hours of the date."""
        if millihours is None:
            millihours = self.millihours
        return self._portion(self.half_days, millihours), self._portion(self.working_half_days, millihours)

    def _portion(self, half_days: int, millihours: int) -> int:
        return divide_half_up(half_days * MILLI * millihours, WHOLE * self.millihours)


def leave_day_length(holidays: HolidayCalendar, week: WorkWeek, day: date, *, any_day: bool = False) -> LeaveDayLength:
    """The length of a date. Raises LeaveDayError."""
    hours, working = week.millihours_on(day), week.half_days_on(day)
    holiday = public_holiday_name(holidays, day)
    if week.casual:
        hours = week.day_millihours
    if hours == 0 and not any_day:
        raise LeaveDayError("is not a working day of this employee")
    if holiday and not any_day:
        raise LeaveDayError(f"is a public holiday: {holiday}")
    if hours == 0:
        return LeaveDayLength(week.day_millihours, WHOLE, 0)
    return LeaveDayLength(hours, WHOLE if hours >= week.day_millihours else working, working)


def require_hours_within(day_length: LeaveDayLength, millihours: int) -> None:
    """Raise LeaveDayError if the date has fewer hours."""
    if millihours > day_length.millihours:
        raise LeaveDayError(f"has {format_millis(day_length.millihours)} hours, less than {format_millis(millihours)}")


def public_holiday_name(holidays: HolidayCalendar, day: date) -> str | None:
    """The name of the public holiday on a date, if any. Raises LeaveDayNotCovered if the holidays are not known."""
    try:
        on_day = holidays.between(day, day)
    except MonthNotCovered as error:
        raise LeaveDayNotCovered(
            f"is not between {error.first} and {error.last}, for which public holidays are known",
            error.first.first_day,
            error.last.last_day,
        ) from None
    return on_day[0].name if on_day else None
