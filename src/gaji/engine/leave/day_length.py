"""What a date counts as a day of leave, by the regular hours of the employee on it."""

from dataclasses import dataclass
from datetime import date

from gaji.engine.regular_hours import WorkWeek
from gaji.law.holidays import HolidayCalendar
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay.working_days import WHOLE
from gaji.law.quantities import MILLI, format_millis


class LeaveDayError(ValueError):
    """Leave cannot be taken on this date, or not for so long; says why."""


@dataclass(frozen=True)
class LeaveDayLength:
    """A date as leave sees it."""

    millihours: int
    """The hours that leave can be taken for."""
    half_days: int
    """What the whole of it counts as leave: 2 for a day, 1 for half of one."""
    working_half_days: int
    """What it counts as a working day of the month."""

    def part(self, millihours: int | None) -> tuple[int, int]:
        """The thousandths of a day of leave, and of a working day, that so many hours are; all of it without them."""
        if millihours is None:
            millihours = self.millihours
        return self._share(self.half_days, millihours), self._share(self.working_half_days, millihours)

    def _share(self, half_days: int, millihours: int) -> int:
        # To the nearest thousandth, a half counting up.
        whole = WHOLE * self.millihours
        return (2 * half_days * MILLI * millihours + whole) // (2 * whole)


def leave_day_length(holidays: HolidayCalendar, week: WorkWeek, day: date, *, any_day: bool = False) -> LeaveDayLength:
    """What a date counts; raises NoLeaveDay."""
    hours, working = week.millihours[day.weekday()], week.half_days[day.weekday()]
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


def require_hours_within(found: LeaveDayLength, millihours: int) -> None:
    """Refuse more hours than the date has; raises NoLeaveDay."""
    if millihours > found.millihours:
        raise LeaveDayError(f"has {format_millis(found.millihours)} hours, less than {format_millis(millihours)}")


def public_holiday_name(holidays: HolidayCalendar, day: date) -> str | None:
    """The public holiday of a date, if it is one; raises NoLeaveDay where nobody knows."""
    try:
        found = holidays.between(day, day)
    except MonthNotCovered as error:
        raise LeaveDayError(f"public holidays are known from {error.first} to {error.last} only") from None
    return found[0].name if found else None
