"""Work cycles: weeks that repeat, such as every second Saturday, and the week of the cycle that a date falls in.

A cycle is stored as the days of all its weeks, beginning with the week that contains `EPOCH`.
"""

from collections.abc import Sequence
from datetime import date
from math import lcm
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Dates
from gaji.law.length_of_service import DAYS_PER_WEEK
from gaji.law.quantities import Counts

THURSDAY = 3
"""The weekday of 1 January 1970, the day that NumPy numbers 0."""
EPOCH = date(1969, 12, 29)
"""The Monday before it, from which the weeks of cycles are counted."""

Entry = TypeVar("Entry")


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


def cycle_days(dates: Dates, length: int) -> Counts:
    """The indexes of dates in a cycle of a number of days."""
    days: Counts = (dates.astype(np.int64) + THURSDAY) % length
    return days


def count_cycle_days(first: Dates, last: Dates, length: int) -> npt.NDArray[np.int64]:
    """How often each day of a cycle occurs from each first to each last day, both included."""
    days = np.arange(length)[None, :] - THURSDAY
    until, before = last.astype(np.int64)[:, None], first.astype(np.int64)[:, None] - 1
    counts: npt.NDArray[np.int64] = (until - days) // length - (before - days) // length
    return counts
