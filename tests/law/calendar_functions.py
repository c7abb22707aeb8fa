"""The calendar functions of explanations, computed day by day."""

import calendar
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

DAY = timedelta(days=1)
WEEKDAYS = tuple(calendar.day_name)


class MonthOfYear(NamedTuple):
    """A calendar month."""

    year: int
    month: int

    def __sub__(self, other: "MonthOfYear") -> Fraction:
        return Fraction((self.year - other.year) * 12 + self.month - other.month)


def between(first: date, last: date) -> list[date]:
    """The days between two dates, both included."""
    return [first + DAY * later for later in range((last - first).days + 1)]


def days(first: date, last: date) -> Fraction:
    """The number of days between two dates, both included."""
    return Fraction(len(between(first, last)))


def weekdays(name: str, first: date, last: date) -> Fraction:
    """The number of a weekday between two dates, both included."""
    return Fraction(sum(WEEKDAYS[day.weekday()] == name for day in between(first, last)))


def weeks(first: date, day: date) -> Fraction:
    """The weeks completed at the start of a day."""
    count = 0
    while first + DAY * 7 * (count + 1) <= day:
        count += 1
    return Fraction(count)


def months(first: date, day: date) -> Fraction:
    """The months completed at the start of a day."""
    count = 0
    while _month_start(first, count + 1) <= day:
        count += 1
    return Fraction(count)


def _month_start(first: date, months: int) -> date:
    """The day on which a month of service starts: the first of the next month if the day does not exist."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    if first.day > calendar.monthrange(year, month + 1)[1]:
        return _month_start(first.replace(day=1), months + 1)
    return date(year, month + 1, first.day)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "days": days,
    "weeks": weeks,
    "months": months,
    **{f"{name}s": partial(weekdays, name) for name in WEEKDAYS},
}
