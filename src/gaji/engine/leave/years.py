"""Leave years: years of service, each from an anniversary of the appointment to the day before the next.

>>> first = np.array(["2024-02-29", "2026-01-31"], dtype="datetime64[D]")
>>> month_begins(first, np.array([12, 1])).astype(str).tolist()
['2025-03-01', '2026-03-01']
"""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np

from gaji.law.columns import Days, Flags
from gaji.law.lengths_of_service import months_before
from gaji.law.months import MONTHS_A_YEAR
from gaji.law.quantities import Counts

ONE_MONTH = np.timedelta64(1, "M")


def month_begins(first: Days, months: Counts) -> Days:
    """The first day after so many completed months: the same day of a month, or the first of the one after."""
    month = first.astype("datetime64[M]")
    day = first - month.astype("datetime64[D]")
    then = month + months.astype("timedelta64[M]")
    following = (then + ONE_MONTH).astype("datetime64[D]")
    begins: Days = np.minimum(then.astype("datetime64[D]") + day, following)
    return begins


@dataclass(frozen=True)
class LeaveYears:
    """One leave year of each person: which one, of a service that began on which day."""

    first: Days
    years: Counts

    @cached_property
    def months_before(self) -> Counts:
        """The months of service before the leave year."""
        return (self.years - 1) * MONTHS_A_YEAR

    @cached_property
    def begin(self) -> Days:
        """Its first day."""
        return month_begins(self.first, self.months_before)

    @cached_property
    def following(self) -> Days:
        """The first day of the next one."""
        return month_begins(self.first, self.months_before + MONTHS_A_YEAR)

    def completed(self, day: Days | date) -> Counts:
        """The months of the leave year that are complete when a day begins, at most all twelve."""
        days = np.asarray(day, dtype="datetime64[D]")
        months: Counts = np.clip(months_before(self.first, days) - self.months_before, 0, MONTHS_A_YEAR)
        return months

    def begin_under(self, since: date | None, following: date | None) -> Flags:
        """Whose leave year begins while a policy holds that began and ends on these days."""
        held = np.ones(len(self.first), dtype=np.bool_)
        if since is not None:
            held &= self.begin >= np.datetime64(since, "D")
        if following is not None:
            held &= self.begin < np.datetime64(following, "D")
        return held

    def see_begin(self, since: date | None) -> Flags:
        """Within whose leave year, but not on its first day, a policy begins."""
        if since is None:
            return np.zeros(len(self.first), dtype=np.bool_)
        day = np.datetime64(since, "D")
        return (self.begin < day) & (day < self.following)
