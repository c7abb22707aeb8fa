"""Which days are public holidays."""

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
    """A day on which Singapore rests."""

    day: date
    name: str
    source: str = ACT
    """Who says so."""
    in_lieu_of: date | None = None
    """The Sunday that it makes up for, if that is why."""


@dataclass(frozen=True)
class HolidayCalendar:
    """The public holidays of the covered years, in their order."""

    days: tuple[Holiday, ...]
    covered_from: Month
    covered_until: Month

    def __hash__(self) -> int:
        # By hundreds of days it would take longer than what is remembered by it.
        return hash((self.covered_from.number, self.covered_until.number, len(self.days)))

    @cached_property
    def dates(self) -> Dates:
        """All of the days, in their order."""
        return date_column([holiday.day for holiday in self.days])

    @cached_property
    def _by_day(self) -> Flags:
        """For each covered day whether it is one; and for a date that is missing, at the end."""
        first, last = date_column([self.covered_from.first_day, self.covered_until.last_day])
        return np.append(np.isin(np.arange(first, last + ONE_DAY), self.dates), False)

    @cached_property
    def names(self) -> dict[date, str]:
        """The name of each day."""
        return {holiday.day: holiday.name for holiday in self.days}

    def of_year(self, year: int) -> tuple[Holiday, ...]:
        """The holidays of a year; raises LawDoesNotCover."""
        return self.between(date(year, 1, 1), date(year, 12, 31))

    def between(self, first: date, last: date) -> tuple[Holiday, ...]:
        """The holidays from a date to a date, both included; raises LawDoesNotCover."""
        self.require_covered(date_column([first, last]))
        return tuple(holiday for holiday in self.days if first <= holiday.day <= last)

    def is_holiday(self, dates: Dates) -> Flags:
        """Which of these dates are public holidays; raises LawDoesNotCover."""
        self.require_covered(dates)
        since = (dates - np.datetime64(self.covered_from.first_day, "D")).astype(np.int64)
        return self._by_day[np.where(np.isnat(dates), MISSING, since)]

    def require_covered(self, dates: Dates) -> None:
        """Refuse dates outside of the covered years."""
        outside = (dates < np.datetime64(self.covered_from.first_day, "D")) | (
            dates > np.datetime64(self.covered_until.last_day, "D")
        )
        if outside.any():
            month = Month.from_date(dates[outside].min().item())
            raise MonthNotCovered(SUBJECT, month, self.covered_from, self.covered_until)
