"""The calendar of public holidays."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np

from gaji.law.columns import Dates, Flags, date_column
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered

SUBJECT = "holidays"
ACT = "Holidays Act 1998"
ONE_DAY = np.timedelta64(1, "D")
MISSING = -1


@dataclass(frozen=True)
class Holiday:
    """A public holiday."""

    day: date
    name: str
    source: str = ACT
    """The legal source."""
    in_lieu_of: date | None = None
    """The Sunday that this day replaces, for a day in lieu."""


@dataclass(frozen=True)
class HolidayCalendar:
    """The public holidays of the covered years, in order."""

    days: tuple[Holiday, ...]
    covered_from: Month
    covered_until: Month

    def __hash__(self) -> int:
        # Hashing hundreds of days would take longer than the cached computations save.
        return hash((self.covered_from.number, self.covered_until.number, len(self.days)))

    @cached_property
    def dates(self) -> Dates:
        """The dates of all holidays, in order."""
        return date_column([holiday.day for holiday in self.days])

    @cached_property
    def _is_holiday_by_day(self) -> Flags:
        """Whether each covered day is a holiday, and a final False for missing dates."""
        first, last = date_column([self.covered_from.first_day, self.covered_until.last_day])
        return np.append(np.isin(np.arange(first, last + ONE_DAY), self.dates), False)

    @cached_property
    def names(self) -> dict[date, str]:
        """The name of each holiday by date."""
        return {holiday.day: holiday.name for holiday in self.days}

    def of_year(self, year: int) -> tuple[Holiday, ...]:
        """The holidays of a year; raises MonthNotCovered."""
        return self.between(date(year, 1, 1), date(year, 12, 31))

    def between(self, first: date, last: date) -> tuple[Holiday, ...]:
        """The holidays between two dates, both included; raises MonthNotCovered."""
        self.require_covered(date_column([first, last]))
        return tuple(holiday for holiday in self.days if first <= holiday.day <= last)

    def is_holiday(self, dates: Dates) -> Flags:
        """Whether each date is a public holiday; raises MonthNotCovered."""
        self.require_covered(dates)
        offsets = (dates - np.datetime64(self.covered_from.first_day, "D")).astype(np.int64)
        return self._is_holiday_by_day[np.where(np.isnat(dates), MISSING, offsets)]

    def require_covered(self, dates: Dates) -> None:
        """Raise MonthNotCovered if a date is outside the covered years."""
        outside = (dates < np.datetime64(self.covered_from.first_day, "D")) | (
            dates > np.datetime64(self.covered_until.last_day, "D")
        )
        if outside.any():
            month = Month.from_date(dates[outside].min().item())
            raise MonthNotCovered(SUBJECT, month, self.covered_from, self.covered_until)
