"""Working days: how many a period has for a person's week, and how many of them are in service.

A week has seven entries from Monday to Sunday, each in half days: 2 for a full working day, 1 for a half day, 0 for a
rest day or day off. A public holiday on a working day is a working day; on a half day it is a full one (Employment Act
1968, s. 88(7)).

Weeks that repeat in a cycle are one row: all weeks of the cycle, beginning with the one that contains `EPOCH`. A single
week is a cycle of one week.

>>> half_days_from_hours([8, 8, 8, 8, 8, 4, 0], half_day_hours=5)
(2, 2, 2, 2, 2, 1, 0)
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import lcm
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Dates, Flags, any_nonzero, date_column
from gaji.law.holidays import HolidayCalendar
from gaji.law.length_of_service import DAYS_PER_WEEK, ONE_DAY
from gaji.law.quantities import HALF_DAY, Counts, Millis

OFF, HALF, WHOLE = 0, 1, 2
DAY_KINDS = 3
DIGIT_VALUES = DAY_KINDS ** np.arange(DAYS_PER_WEEK)
"""A week is also a seven-digit number in base 3, so there are 2,187 different weeks."""
THURSDAY = 3
"""The weekday of 1 January 1970, the day that NumPy numbers 0."""
EPOCH = date(1969, 12, 29)
"""The Monday before it, from which the weeks of cycles are counted."""

Weeks = npt.NDArray[np.int8]
"""One row per person, with seven entries in half days from Monday to Sunday for each week of the cycle."""
Entry = TypeVar("Entry")


def weeks(rows: Sequence[Sequence[int]]) -> Weeks:
    """Return a column of weeks; raise ValueError for an invalid entry. All rows get the length of a common cycle."""
    table = np.asarray(repeat_to_common_cycle(rows), dtype=np.int8)
    if table.shape[1] % DAYS_PER_WEEK or any_nonzero((table < OFF) | (table > WHOLE)):
        raise ValueError("a day of a week must be 0, 1 or 2 half days, and a week must have seven days")
    return table


def repeat_to_common_cycle(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Return a table of cycles of different lengths. Each is repeated until all have the same length.

    >>> repeat_to_common_cycle([[5] * 7, [1] * 7 + [2] * 7]).sum(axis=1).tolist()
    [70, 21]
    """
    length = lcm(DAYS_PER_WEEK, *{len(row) for row in rows})
    table = [row if len(row) == length else [*row] * (length // len(row)) for row in rows]
    return np.array(table, dtype=np.int64).reshape(-1, length)


def align_cycle(cycle: Sequence[Sequence[Entry]], start: date) -> tuple[Entry, ...]:
    """Return the days of a cycle whose first week contains a day, beginning with the week that contains `EPOCH`.

    >>> align_cycle([[1] * 7, [2] * 7], date(1970, 1, 5))[:7]
    (2, 2, 2, 2, 2, 2, 2)
    """
    first = -((start - EPOCH).days // DAYS_PER_WEEK) % len(cycle)
    aligned = [*cycle[first:], *cycle[:first]]
    return tuple(day for week in aligned for day in week)


def cycle_day(day: date, length: int) -> int:
    """The index of a date in a cycle of a number of days."""
    return (day - EPOCH).days % length


def half_days_from_hours(hours: Sequence[int | Decimal], half_day_hours: int) -> tuple[int, ...]:
    """The week for these contracted hours per day, from Monday to Sunday."""
    return tuple(OFF if day == 0 else HALF if day <= half_day_hours else WHOLE for day in hours)


def cycle_millidays(weeks: Weeks) -> Millis:
    """The working days of all weeks of the cycle."""
    half_days: Millis = weeks.sum(axis=1, dtype=np.int64)
    return half_days * HALF_DAY


def cycle_weeks(weeks: Weeks) -> int:
    """The number of weeks of the cycle."""
    return int(weeks.shape[1]) // DAYS_PER_WEEK


def half_days_on(weeks: Weeks, dates: Dates) -> Weeks:
    """The half days of a date in each row, without regard to holidays. One column for each date."""
    return weeks[:, _cycle_days(weeks, dates)]


def is_working_day(weeks: Weeks, people: npt.NDArray[np.intp], dates: Dates) -> Flags:
    """Whether each date is a working day of the person at its index."""
    is_working: Flags = weeks[people, _cycle_days(weeks, dates)] != OFF
    return is_working


def _cycle_days(weeks: Weeks, dates: Dates) -> Counts:
    days: Counts = (dates.astype(np.int64) + THURSDAY) % weeks.shape[1]
    return days


def count_in_period(calendar: HolidayCalendar, first: date, last: date, weeks: Weeks) -> Millis:
    """The working days between two dates, both included, for each week."""
    distinct, rows = _distinct(weeks)
    by_week = [_count_for_week(calendar, first, last, week.tobytes()) for week in distinct]
    return np.array(by_week, dtype=np.int64)[rows]


@lru_cache(maxsize=10_000)
def _count_for_week(calendar: HolidayCalendar, first: date, last: date, week: bytes) -> int:
    """The working days for a row of weeks. Cached because few different weeks are in use."""
    row = np.frombuffer(week, dtype=np.int8)[None, :]
    return int(count_between(calendar, row, date_column([first]), date_column([last]))[0])


def count_between(calendar: HolidayCalendar, weeks: Weeks, first: Dates, last: Dates) -> Millis:
    """The working days of each week from its own first to its own last day, both included.

    Zero if the last day is before the first. Weeks and dates are broadcast, so one row can apply to everyone.
    """
    _, first, last = np.broadcast_arrays(weeks[:, 0], first, last)
    served = first <= last
    if not served.any():
        return np.zeros(len(first), dtype=np.int64)
    begin, end = first[served].min(), last[served].max()
    rows, running = _running_half_days(calendar, weeks, begin, end)
    start = np.where(served, (first - begin).astype(np.int64), 0)
    stop = np.where(served, (last - begin).astype(np.int64) + 1, 0)
    return (running[rows, stop] - running[rows, start]) * HALF_DAY


def _running_half_days(
    calendar: HolidayCalendar, weeks: Weeks, begin: np.datetime64, end: np.datetime64
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """The row of each person, and for each different week the half days before each date."""
    distinct, rows = _distinct(weeks)
    dates = np.arange(begin, end + ONE_DAY)
    half_days = half_days_on(distinct, dates)
    half_days[:, calendar.is_holiday(dates)] *= WHOLE
    np.minimum(half_days, WHOLE, out=half_days)
    running = np.zeros((len(distinct), len(dates) + 1), dtype=np.int64)
    np.cumsum(half_days, axis=1, out=running[:, 1:])
    return rows, running


def _distinct(weeks: Weeks) -> tuple[Weeks, npt.NDArray[np.intp]]:
    """The different weeks, and the index of each person's week among them."""
    rows = np.zeros(len(weeks), dtype=np.intp)
    firsts = np.zeros(min(len(weeks), 1), dtype=np.intp)
    for week in np.split(weeks, cycle_weeks(weeks), axis=1):
        numbers = rows * DAY_KINDS**DAYS_PER_WEEK + week @ DIGIT_VALUES
        _, firsts, rows = np.unique(numbers, return_index=True, return_inverse=True)
    return weeks[firsts], rows
