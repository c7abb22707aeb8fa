"""Singapore's public holidays: those of the package `holidays`, and the days that a parameter file adds or removes.

A holiday on a Sunday makes the next day that is none itself a holiday too (Holidays Act 1998), also when that is
the Tuesday; one on a Saturday is not moved.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, cached_property

import holidays as package
import numpy as np

from gaji.law.columns import Days, Flags, days
from gaji.law.months import Month
from gaji.law.parameters import Fields, Files, LawDoesNotCover, WrongParameters

SUBJECT = "holidays"
ESTIMATED = "estimated"
OBSERVED = "(observed)"
"""How the name of a day in lieu of a Sunday ends."""
SUNDAY = 6
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Holiday:
    """A day on which Singapore rests."""

    day: date
    name: str


@dataclass(frozen=True)
class Holidays:
    """The public holidays of the covered years, in their order."""

    days: tuple[Holiday, ...]
    covered_from: Month
    covered_until: Month

    @cached_property
    def in_columns(self) -> Days:
        """All of the days, in their order."""
        return days([holiday.day for holiday in self.days])

    @cached_property
    def names(self) -> dict[date, str]:
        """The name of each day."""
        return {holiday.day: holiday.name for holiday in self.days}

    def of_year(self, year: int) -> tuple[Holiday, ...]:
        """The holidays of a year; raises LawDoesNotCover."""
        self.check(days([date(year, 1, 1), date(year, 12, 31)]))
        return tuple(holiday for holiday in self.days if holiday.day.year == year)

    def are(self, dates: Days) -> Flags:
        """Which of these dates are public holidays; raises LawDoesNotCover."""
        self.check(dates)
        return np.isin(dates, self.in_columns)

    def check(self, dates: Days) -> None:
        """Refuse dates outside of the covered years."""
        outside = (dates < np.datetime64(self.covered_from.first_day, "D")) | (
            dates > np.datetime64(self.covered_until.last_day, "D")
        )
        if outside.any():
            month = Month.holding(dates[outside].min().item())
            raise LawDoesNotCover(SUBJECT, month, self.covered_from, self.covered_until)


def read(files: Files) -> Holidays:
    """The holidays of the years that the file covers, with the days that it adds and without those that it removes."""
    covered = files.subject(SUBJECT)
    yearly: dict[date, str] = {}
    for year in range(covered.covered_from.year, covered.covered_until.year + 1):
        yearly |= _certain(year, files.names[SUBJECT])
    known = _with_changes(files, yearly)
    first, last = covered.covered_from.first_day, covered.covered_until.last_day
    found = tuple(Holiday(day, known[day]) for day in sorted(known) if first <= day <= last)
    return Holidays(found, covered.covered_from, covered.covered_until)


@cache
def of_package(year: int) -> tuple[Holiday, ...]:
    """What the package knows of a year, the days in lieu of Sundays among them."""
    found = package.country_holidays("SG", years=year, observed=True, language="en_SG")
    return tuple(Holiday(day, name) for day, name in sorted(found.items()))


def _certain(year: int, file: str) -> dict[date, str]:
    """The days of a year, none of which the package had to estimate: those are known once they are gazetted."""
    found = {holiday.day: holiday.name for holiday in of_package(year)}
    if guesses := [day for day, name in found.items() if ESTIMATED in name]:
        reason = f"reaches {year}, but the installed package holidays only estimates {guesses[0]} of that year"
        raise WrongParameters(file, "covered_until", f"{reason}; install a newer one")
    return found


def _with_changes(files: Files, yearly: dict[date, str]) -> dict[date, str]:
    """The days after the changes of the file, by hand of the operator or ours: Sundays are made up for last."""
    table = Fields(files.names[SUBJECT], "", files.documents[SUBJECT])
    for key in ("subject", "covered_from", "covered_until"):
        table.text(key)
    added = dict(_added_day(row) for row in _rows(table.table("added_days")))
    removed = _removed(table, yearly) if "removed_days" in table else set()
    table.end()
    own = {day: name for day, name in yearly.items() if not name.endswith(OBSERVED) and day not in removed} | added
    in_lieu = {day: name for day, name in _in_lieu(own, yearly).items() if day not in removed}
    return in_lieu | own


def _in_lieu(own: dict[date, str], yearly: dict[date, str]) -> dict[date, str]:
    """For each Sunday the next day that is no holiday itself, under the name that the package has for it."""
    found: dict[date, str] = {}
    for day in sorted(day for day in own if day.weekday() == SUNDAY):
        later = day + ONE_DAY
        while later in own and not own[later].endswith(OBSERVED):
            later += ONE_DAY
        known = yearly.get(later, "")
        found[later] = known if known.endswith(OBSERVED) else f"{own[day]} {OBSERVED}"
    return found


def _rows(table: Fields) -> list[Fields]:
    if "unit" in table:
        table.text("unit")
    rows = table.tables("values")
    table.end()
    return rows


def _added_day(row: Fields) -> tuple[date, str]:
    """One day: `from` is the day itself, because that is the key by which an operator's file is laid over ours."""
    day, name = row.day("from"), row.text("name")
    row.text("source")
    row.end()
    return day, name


def _removed(table: Fields, yearly: dict[date, str]) -> set[date]:
    """The days that are no holidays after all; refuses those that were none."""
    removed = set()
    for row in _rows(table.table("removed_days")):
        day = row.day("from")
        row.text("source")
        row.end()
        if day not in yearly:
            raise row.wrong("from", f"{day} is not one of the yearly holidays, so it cannot be removed")
        removed.add(day)
    return removed
