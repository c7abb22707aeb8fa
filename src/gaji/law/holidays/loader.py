"""Where the public holidays come from: the package `holidays`, and the days that a parameter file adds or removes."""

from dataclasses import replace
from datetime import date, timedelta
from functools import cache

import holidays as package

from gaji.law.holidays.calendar import ACT, SUBJECT, Holiday, HolidayCalendar
from gaji.law.parameters import InvalidParameterFile, ParameterFiles, TableReader

ESTIMATED = "estimated"
OBSERVED = "(observed)"
"""How the name of a day in lieu of a Sunday ends."""
SUNDAY = 6
ONE_DAY = timedelta(days=1)

ByDay = dict[date, Holiday]


def read_calendar(files: ParameterFiles) -> HolidayCalendar:
    """The holidays of the years that the file covers, with the days that it adds and without those that it removes."""
    covered = files.subject(SUBJECT)
    yearly: ByDay = {}
    for year in range(covered.covered_from.year, covered.covered_until.year + 1):
        yearly |= _certain(year, files.names[SUBJECT])
    known = _with_changes(files, yearly)
    first, last = covered.covered_from.first_day, covered.covered_until.last_day
    found = tuple(known[day] for day in sorted(known) if first <= day <= last)
    return HolidayCalendar(found, covered.covered_from, covered.covered_until)


@cache
def package_holidays(year: int) -> tuple[Holiday, ...]:
    """What the package knows of a year, the days in lieu of Sundays among them."""
    found = package.country_holidays("SG", years=year, observed=True, language="en_SG")
    return tuple(Holiday(day, name) for day, name in sorted(found.items()))


def _certain(year: int, file: str) -> ByDay:
    """The days of a year, none of which the package had to estimate: those are known once they are gazetted."""
    found = {holiday.day: holiday for holiday in package_holidays(year)}
    if guesses := [day for day, holiday in found.items() if ESTIMATED in holiday.name]:
        reason = f"reaches {year}, but the installed package holidays only estimates {guesses[0]} of that year"
        raise InvalidParameterFile(file, "covered_until", f"{reason}; install a newer one")
    return found


def _with_changes(files: ParameterFiles, yearly: ByDay) -> ByDay:
    """The days after the changes of the file, by hand of the operator or ours: Sundays are made up for last."""
    table = TableReader(files.names[SUBJECT], "", files.documents[SUBJECT])
    for key in ("subject", "covered_from", "covered_until"):
        table.text(key)
    added = {holiday.day: holiday for holiday in map(_added_day, _rows(table.table("added_days")))}
    removed = _removed(table, yearly) if "removed_days" in table else set()
    table.reject_unknown()
    own = {day: each for day, each in yearly.items() if not _observed(each) and day not in removed} | added
    in_lieu = {day: each for day, each in _in_lieu(own, yearly).items() if day not in removed}
    # A day in lieu that the file writes out itself keeps the file's name and source.
    written_out = {day: replace(own[day], in_lieu_of=each.in_lieu_of) for day, each in in_lieu.items() if day in own}
    return in_lieu | own | written_out


def _in_lieu(own: ByDay, yearly: ByDay) -> ByDay:
    """For each Sunday the next day that is no holiday itself, under the name that the package has for it."""
    found: ByDay = {}
    for day in sorted(day for day in own if day.weekday() == SUNDAY):
        later = day + ONE_DAY
        while later in own and not _observed(own[later]):
            later += ONE_DAY
        known = yearly.get(later)
        name = known.name if known is not None and _observed(known) else f"{own[day].name} {OBSERVED}"
        found[later] = Holiday(later, name, ACT, in_lieu_of=day)
    return found


def _observed(holiday: Holiday) -> bool:
    return holiday.name.endswith(OBSERVED)


def _rows(table: TableReader) -> list[TableReader]:
    if "unit" in table:
        table.text("unit")
    rows = table.tables("values")
    table.reject_unknown()
    return rows


def _added_day(row: TableReader) -> Holiday:
    """One day: `from` is the day itself, because that is the key by which an operator's file is laid over ours."""
    holiday = Holiday(row.day("from"), row.text("name"), row.text("source"))
    row.reject_unknown()
    return holiday


def _removed(table: TableReader, yearly: ByDay) -> set[date]:
    """The days that are no holidays after all; refuses those that were none."""
    removed = set()
    for row in _rows(table.table("removed_days")):
        day = row.day("from")
        row.text("source")
        row.reject_unknown()
        if day not in yearly:
            raise row.error("from", f"{day} is not one of the yearly holidays, so it cannot be removed")
        removed.add(day)
    return removed
