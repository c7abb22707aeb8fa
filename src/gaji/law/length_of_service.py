"""Completed months, years and weeks between dates.

A month of service that starts on the 15th is complete at the end of the 14th of the next month. If the next month does
not have that day, it is complete at the end of that month: from 31 January to 28 February, and from 29 February to the
last day of February a year later.

>>> first = np.array(["2026-01-15", "2026-01-31", "2024-02-29"], dtype="datetime64[D]")
>>> last = np.array(["2026-04-13", "2026-02-28", "2025-02-28"], dtype="datetime64[D]")
>>> completed_months(first, last).tolist()
[2, 1, 12]
"""

import numpy as np

from gaji.law.columns import Dates
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts

DAYS_PER_WEEK = 7
ONE_DAY = np.timedelta64(1, "D")


def completed_months_before(first: Dates, day: Dates) -> Counts:
    """The months of service that are complete at the start of this day; never negative.

    The next month of service starts on the same day of the next month or, if that day does not exist, on the first of
    the month after. Comparing the days of the month gives the same result.
    """
    months: Counts = (_month(day) - _month(first)) - (_day_of_month(day) < _day_of_month(first))
    return np.maximum(months, 0)


def completed_months(first: Dates, last: Dates) -> Counts:
    """The completed months from the first to the last day of service, both included."""
    return completed_months_before(first, last + ONE_DAY)


def completed_weeks_before(first: Dates, day: Dates) -> Counts:
    """The weeks of service that are complete at the start of this day."""
    return np.maximum((day - first).astype(np.int64) // DAYS_PER_WEEK, 0)


def year_of_service(first: Dates, day: Dates) -> Counts:
    """The year of service that a day falls in, counted from 1."""
    return completed_months_before(first, day) // MONTHS_PER_YEAR + 1


def _month(dates: Dates) -> Counts:
    return dates.astype("datetime64[M]").astype(np.int64)


def _day_of_month(dates: Dates) -> Counts:
    """The day of the month, counted from 0."""
    days_after_first: Counts = (dates - dates.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64)
    return days_after_first
