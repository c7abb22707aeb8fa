"""Months of service and leave years: a leave year is a year of service, from an anniversary to the day before the next.

Every month of service begins on a day; how many have begun on a date, but for the first, is its number. A month begins
not later than a date exactly when it is not above that number, so that dates are compared as whole numbers.

>>> served = Served.since(np.array(["2024-02-29", "2026-01-31"], dtype="datetime64[D]"))
>>> served.begins(np.array([12, 1])).astype(str).tolist()
['2025-03-01', '2026-03-01']
>>> served.number(np.array(["2025-02-28", "2026-03-01"], dtype="datetime64[D]")).tolist()
[11, 1]
"""

from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Dates
from gaji.law.length_of_service import ONE_DAY
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts

ONE_MONTH = np.timedelta64(1, "M")
FIRST_MONTH = 1970 * MONTHS_PER_YEAR
"""From which NumPy counts months."""

Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ServiceStarts:
    """When the service of each person began: months since 1970, and days after the first of the month."""

    month: Counts
    day: Counts

    @classmethod
    def since(cls, first: Dates) -> "ServiceStarts":
        """Those who serve since these days."""
        return cls(*_month_and_day(first))

    def select(self, who: Places) -> "ServiceStarts":
        """Some of them."""
        return ServiceStarts(self.month[who], self.day[who])

    def month_numbers(self, dates: Dates) -> Counts:
        """The number of the month of service that each date is in, from 0; below that before the service."""
        month, day = _month_and_day(dates)
        return month - self.month - (day < self.day)

    def month_number(self, one: date) -> Counts:
        """The same of one date for everybody."""
        month = one.year * MONTHS_PER_YEAR + one.month - 1 - FIRST_MONTH
        return month - self.month - (one.day - 1 < self.day)

    def month_starts(self, numbers: Counts) -> Dates:
        """The first day of a month of service: the same day of a month, or the first of the one after."""
        month = (self.month + numbers).astype("datetime64[M]")
        begins: Dates = np.minimum(
            month.astype("datetime64[D]") + self.day.astype("timedelta64[D]"),
            (month + ONE_MONTH).astype("datetime64[D]"),
        )
        return begins


@dataclass(frozen=True)
class DateWindow:
    """From one day to another, both counted, for each person, and the numbers of their months."""

    since: Dates
    until: Dates
    since_month: Counts
    before_since: Counts
    """Of the day before."""
    until_month: Counts
    after_until: Counts
    """Of the day after."""

    @classmethod
    def between(cls, served: ServiceStarts, since: Dates, until: Dates) -> "DateWindow":
        """The window of those who served."""
        numbers = (served.month_numbers(day) for day in (since, since - ONE_DAY, until, until + ONE_DAY))
        return cls(since, until, *numbers)

    def select(self, who: Places) -> "DateWindow":
        """That of some of them."""
        return DateWindow(
            self.since[who],
            self.until[who],
            self.since_month[who],
            self.before_since[who],
            self.until_month[who],
            self.after_until[who],
        )


def months_of_year(numbers: Counts, begin: Counts) -> Counts:
    """The months of a leave year, which begins with month `begin`, that are complete at such numbers."""
    months: Counts = np.clip(numbers - begin, 0, MONTHS_PER_YEAR)
    return months


def _month_and_day(dates: Dates) -> tuple[Counts, Counts]:
    months = dates.astype("datetime64[M]")
    return months.astype(np.int64), (dates - months.astype("datetime64[D]")).astype(np.int64)
