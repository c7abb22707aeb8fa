"""Lengths of service: whole months, years and weeks between dates.

A month of service that begins on the 15th is complete with the 14th of the next month. One that begins on a day that
the next month does not have is complete with that month's last day: 31 January to 28 February, 29 February to the last
of February a year later.

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
    """The months of service that are complete when this day begins; below nothing is nothing.

    The next month of service begins on the same day of the next month, or, where there is no such day, on the first
    of the one after: comparing the days of the month says just that.
    """
    months: Counts = (_month(day) - _month(first)) - (_day_of_month(day) < _day_of_month(first))
    return np.maximum(months, 0)


def completed_months(first: Dates, last: Dates) -> Counts:
    """The whole months from the first to the last day of service, both of them served."""
    return completed_months_before(first, last + ONE_DAY)


def completed_weeks_before(first: Dates, day: Dates) -> Counts:
    """The weeks of service that are complete when this day begins."""
    return np.maximum((day - first).astype(np.int64) // DAYS_PER_WEEK, 0)


def year_of_service(first: Dates, day: Dates) -> Counts:
    """Which year of service a day is in, from 1."""
    return completed_months_before(first, day) // MONTHS_PER_YEAR + 1


def ages(birthdates: Dates, day: Dates) -> Counts:
    """The age in completed years on a day."""
    return completed_months_before(birthdates, day) // MONTHS_PER_YEAR


def _month(dates: Dates) -> Counts:
    return dates.astype("datetime64[M]").astype(np.int64)


def _day_of_month(dates: Dates) -> Counts:
    after_the_first: Counts = (dates - dates.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64)
    return after_the_first
