"""Public holidays on a day off, for which a policy gives a day in lieu or pay (Employment Act 1968, s. 88(1)(c))."""

from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from gaji.engine.leave.movements import Movement, MovementKind
from gaji.engine.leave.policies import HolidayOffChoice, LeavePolicy, Policies, policy_on
from gaji.engine.regular_hours import WorkSchedule
from gaji.law.holidays import Holiday, HolidayCalendar
from gaji.law.pay.working_days import OFF
from gaji.law.quantities import MILLI

SOURCE = "Employment Act 1968, s. 88(1)(c)"


def list_holidays_off(
    calendar: HolidayCalendar, schedule: WorkSchedule, policies: Policies, choice: HolidayOffChoice, last: date
) -> Iterator[Holiday]:
    """List the holidays on days off of an employee, up to a day, for which the policy makes a choice.

    A Sunday that another day replaces is not listed. Neither is that other day for an employee who works on the Sunday.
    """
    for holiday in _holidays_with_choice(calendar, tuple(policies), choice):
        if holiday.day > last:
            return
        if _is_off(schedule, holiday.day) and (holiday.in_lieu_of is None or _is_off(schedule, holiday.in_lieu_of)):
            yield holiday


def list_days_in_lieu(
    calendar: HolidayCalendar, schedule: WorkSchedule, policies: Policies, last: date
) -> Iterator[Movement]:
    """List the days in lieu of holidays on days off, up to a day."""
    for holiday in list_holidays_off(calendar, schedule, policies, HolidayOffChoice.DAY_IN_LIEU, last):
        reason = f"Day in lieu: {holiday.name} is on a day off ({SOURCE})"
        yield Movement(holiday.day, MovementKind.GRANT, MILLI, reason)


@lru_cache(maxsize=1000)
def _holidays_with_choice(
    calendar: HolidayCalendar, policies: tuple[LeavePolicy, ...], choice: HolidayOffChoice
) -> tuple[Holiday, ...]:
    """The holidays for which policies make a choice, without Sundays that another day replaces."""
    replaced = {holiday.in_lieu_of for holiday in calendar.days}
    return tuple(
        holiday
        for holiday in calendar.days
        if holiday.day not in replaced and policy_on(policies, holiday.day).holidays_off is choice
    )


def _is_off(schedule: WorkSchedule, day: date) -> bool:
    """Whether a date is a day off. A casual schedule has none."""
    week = schedule.on(day)
    return not week.casual and week.half_days_on(day) == OFF
