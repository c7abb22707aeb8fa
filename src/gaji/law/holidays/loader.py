"""Loads the public holidays from the `holidays` package and applies the changes of the parameter file."""

from dataclasses import replace
from datetime import date, timedelta
from functools import cache

import holidays as package

from gaji.law.holidays.calendar import ACT, SUBJECT, Holiday, HolidayCalendar
from gaji.law.parameters import InvalidParameterFile, ParameterFiles, TableReader

ESTIMATED = "estimated"
OBSERVED = "(observed)"
"""The suffix of the name of a day in lieu."""
SUNDAY = 6
ONE_DAY = timedelta(days=1)

HolidaysByDate = dict[date, Holiday]


def read_calendar(files: ParameterFiles) -> HolidayCalendar:
    """Return the holidays of the covered years, with the days that the file adds and without those it removes."""
    subject = files.subject(SUBJECT)
    yearly: HolidaysByDate = {}
    for year in range(subject.covered_from.year, subject.covered_until.year + 1):
        yearly |= _confirmed_holidays(year, files.names[SUBJECT])
    changed = _apply_changes(files, yearly)
    first, last = subject.covered_from.first_day, subject.covered_until.last_day
    covered = tuple(changed[day] for day in sorted(changed) if first <= day <= last)
    return HolidayCalendar(covered, subject.covered_from, subject.covered_until)


@cache
def package_holidays(year: int) -> tuple[Holiday, ...]:
    """The holidays of a year in the package, including days in lieu."""
    entries = package.country_holidays("SG", years=year, observed=True, language="en_SG")
    return tuple(Holiday(day, name) for day, name in sorted(entries.items()))


def _confirmed_holidays(year: int, file: str) -> HolidaysByDate:
    """The holidays of a year; raises InvalidParameterFile if the package only estimates one, as before gazettal."""
    by_date = {holiday.day: holiday for holiday in package_holidays(year)}
    if estimates := [day for day, holiday in by_date.items() if ESTIMATED in holiday.name]:
        reason = f"includes {year}, but the installed holidays package only estimates {estimates[0]}"
        raise InvalidParameterFile(file, "covered_until", f"{reason}; install a newer version")
    return by_date


def _apply_changes(files: ParameterFiles, yearly: HolidaysByDate) -> HolidaysByDate:
    """Add and remove the days of the file, then add the days in lieu of Sundays."""
    table = TableReader(files.names[SUBJECT], "", files.documents[SUBJECT])
    for key in ("subject", "covered_from", "covered_until"):
        table.text(key)
    added = {holiday.day: holiday for holiday in map(_added_day, _rows(table.table("added_days")))}
    removed = _removed_days(table, yearly) if "removed_days" in table else set()
    table.reject_unknown()
    regular = {
        day: holiday for day, holiday in yearly.items() if not _is_observed(holiday) and day not in removed
    } | added
    in_lieu = {day: holiday for day, holiday in _days_in_lieu(regular, yearly).items() if day not in removed}
    # A day in lieu that the file lists explicitly keeps the file's name and source.
    listed = {
        day: replace(regular[day], in_lieu_of=holiday.in_lieu_of) for day, holiday in in_lieu.items() if day in regular
    }
    return in_lieu | regular | listed


def _days_in_lieu(regular: HolidaysByDate, yearly: HolidaysByDate) -> HolidaysByDate:
    """For each Sunday holiday, the next day that is not itself a holiday, named as in the package if possible."""
    in_lieu: HolidaysByDate = {}
    for day in sorted(day for day in regular if day.weekday() == SUNDAY):
        later = day + ONE_DAY
        while later in regular and not _is_observed(regular[later]):
            later += ONE_DAY
        known = yearly.get(later)
        name = known.name if known is not None and _is_observed(known) else f"{regular[day].name} {OBSERVED}"
        in_lieu[later] = Holiday(later, name, ACT, in_lieu_of=day)
    return in_lieu


def _is_observed(holiday: Holiday) -> bool:
    return holiday.name.endswith(OBSERVED)


def _rows(table: TableReader) -> list[TableReader]:
    if "unit" in table:
        table.text("unit")
    rows = table.tables("values")
    table.reject_unknown()
    return rows


def _added_day(row: TableReader) -> Holiday:
    """Parse an added day. Its date is in `from`, the field by which an operator's file is merged."""
    holiday = Holiday(row.day("from"), row.text("name"), row.text("source"))
    row.reject_unknown()
    return holiday


def _removed_days(table: TableReader, yearly: HolidaysByDate) -> set[date]:
    """Parse the removed days; reject days that are not yearly holidays."""
    removed = set()
    for row in _rows(table.table("removed_days")):
        day = row.day("from")
        row.text("source")
        row.reject_unknown()
        if day not in yearly:
            raise row.error("from", f"{day} is not a yearly holiday, so it cannot be removed")
        removed.add(day)
    return removed
