"""Working days: how many a period has for a person's week, and how many of them are in service.

A week has seven entries from Monday to Sunday, each in half days: 2 for a full working day, 1 for a half day, 0 for a
rest day or day off. A public holiday on a working day is a working day; on a half day it is a full one (Employment Act
1968, s. 88(7)).

Weeks that repeat in a cycle are one row (`work_cycles`). A single week is a cycle of one week.

>>> half_days_from_hours([8, 8, 8, 8, 8, 4, 0], half_day_hours=5)
(2, 2, 2, 2, 2, 1, 0)
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Dates, Flags, any_nonzero, date_column
from gaji.law.holidays import HolidayCalendar
from gaji.law.length_of_service import DAYS_PER_WEEK, ONE_DAY
from gaji.law.pay import work_cycles
from gaji.law.quantities import HALF_DAY, Millis

OFF, HALF, WHOLE = 0, 1, 2
DAY_KINDS = 3
DIGIT_VALUES = DAY_KINDS ** np.arange(DAYS_PER_WEEK)
"""A week is also a seven-digit number in base 3, so there are 2,187 different weeks."""

Weeks = npt.NDArray[np.int8]
"""One row per person, with seven entries in half days from Monday to Sunday for each week of the cycle."""


def weeks(rows: Sequence[Sequence[int]]) -> Weeks:
    """Return a column of weeks; raise ValueError for an invalid entry. All rows get the length of a common cycle."""
    table = np.asarray(work_cycles.repeat_to_common_cycle(rows), dtype=np.int8)
    if table.shape[1] % DAYS_PER_WEEK or any_nonzero((table < OFF) | (table > WHOLE)):
        raise ValueError("a day of a week must be 0, 1 or 2 half days, and a week must have seven days")
    return table


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
    return weeks[:, work_cycles.cycle_days(dates, weeks.shape[1])]


def is_working_day(weeks: Weeks, people: npt.NDArray[np.intp], dates: Dates) -> Flags:
    """Whether each date is a working day of the person at its index."""
    is_working: Flags = weeks[people, work_cycles.cycle_days(dates, weeks.shape[1])] != OFF
    return is_working


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
    if len(weeks) == 1:  # A recalculation of one payslip. Comparing would take longer than counting.
        return weeks, rows
    firsts = np.zeros(min(len(weeks), 1), dtype=np.intp)
    for week in np.split(weeks, cycle_weeks(weeks), axis=1):
        numbers = rows * DAY_KINDS**DAYS_PER_WEEK + week @ DIGIT_VALUES
        _, firsts, rows = np.unique(numbers, return_index=True, return_inverse=True)
    return weeks[firsts], rows
