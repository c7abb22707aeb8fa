"""What explanations ask of a calendar, counted day by day."""

import calendar
from collections.abc import Callable, Sequence
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
    """The days from a date to a date, both of them counted."""
    return [first + DAY * later for later in range((last - first).days + 1)]


def days(first: date, last: date) -> Fraction:
    """How many days there are, both counted."""
    return Fraction(len(between(first, last)))


def weekdays(name: str, first: date, last: date) -> Fraction:
    """How many Mondays, say, there are, both ends counted."""
    return on(name, between(first, last))


def on(name: str, dates: Sequence[date]) -> Fraction:
    """How many of these dates are a Monday, say."""
    return Fraction(sum(WEEKDAYS[day.weekday()] == name for day in dates))


def weeks(first: date, day: date) -> Fraction:
    """The weeks that are complete when a day begins."""
    found = 0
    while first + DAY * 7 * (found + 1) <= day:
        found += 1
    return Fraction(found)


def months(first: date, day: date) -> Fraction:
    """The months that are complete when a day begins."""
    found = 0
    while _begins(first, found + 1) <= day:
        found += 1
    return Fraction(found)


def workday(day: date, count: Fraction, off: Sequence[str], holidays: Sequence[date]) -> date:
    """The so-many-th day after a date that is neither off nor a holiday."""
    left = int(count)
    while left:
        day += DAY
        left -= day not in holidays and WEEKDAYS[day.weekday()] not in off
    return day


def _begins(first: date, months: int) -> date:
    """The day on which a month of service begins; the first of the month after where there is no such day."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    if first.day > calendar.monthrange(year, month + 1)[1]:
        return _begins(first.replace(day=1), months + 1)
    return date(year, month + 1, first.day)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "days": days,
    "weeks": weeks,
    "months": months,
    "on": on,
    "among": lambda value, several: value in several,
    "count": lambda *several: Fraction(len(set(several))),
    "workday": workday,
    **{f"{name}s": partial(weekdays, name) for name in WEEKDAYS},
}
