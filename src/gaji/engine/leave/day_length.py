"""What a date counts as a day of leave, by the regular hours of the employee on it."""

from dataclasses import dataclass
from datetime import date

from gaji.engine.regular_hours import Week
from gaji.law.holidays import Holidays
from gaji.law.parameters import LawDoesNotCover
from gaji.law.pay.working_days import WHOLE
from gaji.law.quantities import MILLI, number


class NoLeaveDay(ValueError):
    """Leave cannot be taken on this date, or not for so long; says why."""


@dataclass(frozen=True)
class DayOfLeave:
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


def day_of_leave(holidays: Holidays, week: Week, day: date, *, any_day: bool = False) -> DayOfLeave:
    """What a date counts; raises NoLeaveDay."""
    hours, working = week.millihours[day.weekday()], week.half_days[day.weekday()]
    holiday = holiday_on(holidays, day)
    if week.casual:
        hours = week.day_millihours
    if hours == 0 and not any_day:
        raise NoLeaveDay("is not a working day of this employee")
    if holiday and not any_day:
        raise NoLeaveDay(f"is a public holiday: {holiday}")
    if hours == 0:
        return DayOfLeave(week.day_millihours, WHOLE, 0)
    return DayOfLeave(hours, WHOLE if hours >= week.day_millihours else working, working)


def check_hours(found: DayOfLeave, millihours: int) -> None:
    """Refuse more hours than the date has; raises NoLeaveDay."""
    if millihours > found.millihours:
        raise NoLeaveDay(f"has {number(found.millihours)} hours, less than {number(millihours)}")


def holiday_on(holidays: Holidays, day: date) -> str | None:
    """The public holiday of a date, if it is one; raises NoLeaveDay where nobody knows."""
    try:
        found = holidays.between(day, day)
    except LawDoesNotCover as error:
        raise NoLeaveDay(f"public holidays are known from {error.first} to {error.last} only") from None
    return found[0].name if found else None
