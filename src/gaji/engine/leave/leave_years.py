"""Months of service and leave years.

A leave year is a year of service, which begins on an anniversary, or begins in the month that the policy names.

Months of service are numbered from 0. The number of a date is that of the month of service that contains it. A month of
service has begun on a date if its number is not greater than that of the date, so dates can be compared as integers.

>>> starts = ServiceStarts.from_dates(np.array(["2024-02-29", "2026-01-31"], dtype="datetime64[D]"))
>>> starts.month_starts(np.array([12, 1])).astype(str).tolist()
['2025-03-01', '2026-03-01']
>>> starts.month_numbers(np.array(["2025-02-28", "2026-03-01"], dtype="datetime64[D]")).tolist()
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
NUMPY_EPOCH_MONTH = 1970 * MONTHS_PER_YEAR
"""The month from which NumPy counts months."""
MANY_DATES = 20_000

PersonIndexes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ServiceStarts:
    """The first day of each person's service: months since 1970, and days after the first of the month."""

    month: Counts
    day: Counts

    @classmethod
    def from_dates(cls, first: Dates) -> "ServiceStarts":
        """Build from the first day of service of each person."""
        return cls(*_month_and_day(first))

    def select(self, people: PersonIndexes) -> "ServiceStarts":
        """The service starts of some people."""
        return ServiceStarts(self.month[people], self.day[people])

    def month_numbers(self, dates: Dates) -> Counts:
        """The number of the month of service that contains each date. Negative before the service."""
        month, day = _month_and_day(dates)
        return month - self.month - (day < self.day)

    def month_number(self, day: date) -> Counts:
        """The number of the month of service that contains a date, for every person."""
        month = day.year * MONTHS_PER_YEAR + day.month - 1 - NUMPY_EPOCH_MONTH
        return month - self.month - (day.day - 1 < self.day)

    def month_starts(self, numbers: Counts) -> Dates:
        """The first day of a month of service: the same day of the month, or the first of the next month."""
        month = (self.month + numbers).astype("datetime64[M]")
        starts: Dates = np.minimum(
            month.astype("datetime64[D]") + self.day.astype("timedelta64[D]"),
            (month + ONE_MONTH).astype("datetime64[D]"),
        )
        return starts


@dataclass(frozen=True)
class LeaveYears:
    """The leave years of each person. The first one contains the first day of service."""

    starts: ServiceStarts
    """The first day of the first leave year."""
    first: Dates
    """The first day of service."""
    joined: Counts
    """The months from the start of the first leave year to the first complete month of service."""

    @classmethod
    def of_service(cls, first: Dates) -> "LeaveYears":
        """Leave years that begin on anniversaries of the first day of service."""
        return cls(ServiceStarts.from_dates(first), first, np.zeros(len(first), dtype=np.int64))

    @classmethod
    def from_month(cls, first: Dates, month: int) -> "LeaveYears":
        """Leave years that begin on the first day of a month.

        >>> LeaveYears.from_month(np.array(["2026-03-15", "2026-04-01"], dtype="datetime64[D]"), 4).joined.tolist()
        [12, 0]
        """
        service_month, day = _month_and_day(first)
        months_before = (service_month - (month - 1)) % MONTHS_PER_YEAR
        starts = ServiceStarts(service_month - months_before, np.zeros_like(day))
        return cls(starts, first, months_before + (day > 0))

    @classmethod
    def of_policy(cls, first: Dates, month: int | None) -> "LeaveYears":
        """Leave years by the month of a policy. None: years of service."""
        return cls.of_service(first) if month is None else cls.from_month(first, month)

    def select(self, people: PersonIndexes) -> "LeaveYears":
        """The leave years of some people."""
        return LeaveYears(self.starts.select(people), self.first[people], self.joined[people])

    def numbers(self, dates: Dates) -> Counts:
        """The number of the leave year that contains each date, counted from 1."""
        return self.starts.month_numbers(dates) // MONTHS_PER_YEAR + 1


@dataclass(frozen=True)
class DateWindow:
    """A first and a last day of each person, both included, with the numbers of their months of service."""

    since: Dates
    until: Dates
    since_month: Counts
    before_since: Counts
    """The month number of the day before `since`."""
    until_month: Counts
    after_until: Counts
    """The month number of the day after `until`."""

    @classmethod
    def between(cls, starts: ServiceStarts, since: Dates, until: Dates) -> "DateWindow":
        """Build the window of people with these service starts."""
        return cls(
            since,
            until,
            since_month=starts.month_numbers(since),
            before_since=starts.month_numbers(since - ONE_DAY),
            until_month=starts.month_numbers(until),
            after_until=starts.month_numbers(until + ONE_DAY),
        )

    def select(self, people: PersonIndexes) -> "DateWindow":
        """The window of some people."""
        return DateWindow(
            self.since[people],
            self.until[people],
            self.since_month[people],
            self.before_since[people],
            self.until_month[people],
            self.after_until[people],
        )


def months_of_year(numbers: Counts, first_month: Counts) -> Counts:
    """The completed months of the leave year that begins with `first_month`, from 0 to 12."""
    months: Counts = np.clip(numbers - first_month, 0, MONTHS_PER_YEAR)
    return months


def _month_and_day(dates: Dates) -> tuple[Counts, Counts]:
    """The months since 1970 and the days after the first of the month."""
    if len(dates) < MANY_DATES:
        return _convert_dates(dates)
    # Many dates lie in a few years. Converting each day of these years once is faster.
    first = dates.min()
    month, day = _convert_dates(np.arange(first, dates.max() + ONE_DAY))
    numbers = (dates - first).astype(np.intp)
    return month[numbers], day[numbers]


def _convert_dates(dates: Dates) -> tuple[Counts, Counts]:
    months = dates.astype("datetime64[M]")
    return months.astype(np.int64), (dates - months.astype("datetime64[D]")).astype(np.int64)
