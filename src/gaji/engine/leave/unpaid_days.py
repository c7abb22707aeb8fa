"""Unpaid leave of a pay period in working days, including public holidays within it (Employment Act 1968, s. 20A)."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.leave.leave_years import PersonIndexes
from gaji.law.columns import Dates, Flags
from gaji.law.holidays import HolidayCalendar
from gaji.law.length_of_service import DAYS_PER_WEEK
from gaji.law.pay.working_days import WHOLE, Weeks, is_working_day
from gaji.law.quantities import HALF_DAY, Millis

MAX_SEARCH_DAYS = 6 * DAYS_PER_WEEK
"""How far from a holiday to search for a working day. Every cycle of up to six weeks has one."""


@dataclass(frozen=True)
class UnpaidDates:
    """Dates with unpaid leave, one row for each person and date."""

    people: PersonIndexes
    dates: Dates
    working_millidays: Millis
    """The unpaid part of the date."""
    is_whole_day: Flags
    """Whether the whole date is unpaid."""


@dataclass(frozen=True)
class UnpaidDays:
    """The unpaid working days of people by date, including public holidays. One row for each person and date."""

    people: PersonIndexes
    dates: Dates
    millidays: Millis

    def total(self, person_count: int, last: Dates) -> Millis:
        """The sum of each person up to a last day."""
        counted = np.where(self.dates <= last[self.people], self.millidays, 0)
        return np.bincount(self.people, weights=counted, minlength=person_count).astype(np.int64)


def unpaid_days(holidays: HolidayCalendar, weeks: Weeks, unpaid: UnpaidDates, first: Dates, last: Dates) -> UnpaidDays:
    """The unpaid working days of each person from a first to a last day.

    Unpaid dates outside the period only matter if they are next to a holiday within it.
    """
    in_period = (first[unpaid.people] <= unpaid.dates) & (unpaid.dates <= last[unpaid.people])
    rows = [(unpaid.people[in_period], unpaid.dates[in_period], unpaid.working_millidays[in_period])]
    whole_days = _PersonDates(unpaid.people[unpaid.is_whole_day], unpaid.dates[unpaid.is_whole_day])
    candidates = np.unique(whole_days.people)
    holiday_dates = holidays.dates
    if len(candidates):
        earliest, latest = first[candidates].min(), last[candidates].max()
        holiday_dates = holiday_dates[(holiday_dates >= earliest) & (holiday_dates <= latest)]
    for holiday in holiday_dates if len(candidates) else ():
        affected = candidates[(first[candidates] <= holiday) & (holiday <= last[candidates])]
        affected = affected[is_working_day(weeks, affected, np.full(len(affected), holiday))]
        before = _nearest_working_day(weeks, holidays.dates, affected, holiday, -1)
        after = _nearest_working_day(weeks, holidays.dates, affected, holiday, 1)
        people = affected[whole_days.contains(affected, before) & whole_days.contains(affected, after)]
        rows.append((people, np.full(len(people), holiday), np.full(len(people), WHOLE * HALF_DAY)))
    people_column, dates, millidays = (np.concatenate(column) for column in zip(*rows, strict=True))
    return UnpaidDays(people_column, dates, millidays)


@dataclass(frozen=True)
class _PersonDates:
    """A set of people with dates."""

    people: PersonIndexes
    dates: Dates

    def contains(self, people: PersonIndexes, dates: Dates) -> Flags:
        return np.isin(_key(people, dates), _key(self.people, self.dates))


def _key(people: PersonIndexes, dates: Dates) -> Millis:
    """A single integer for a person and a date. The day number of a date has fewer than 32 bits."""
    keys: Millis = people.astype(np.int64) << 32 | (dates.astype(np.int64) & 0xFFFFFFFF)
    return keys


def _nearest_working_day(
    weeks: Weeks, holiday_dates: Dates, people: PersonIndexes, holiday: np.datetime64, step: int
) -> Dates:
    """The nearest working day of each person before or after a holiday that is not a holiday itself, or NaT."""
    nearest = np.full(len(people), np.datetime64("NaT", "D"))
    for distance in range(1, MAX_SEARCH_DAYS + 1):
        day = np.full(len(people), holiday + np.timedelta64(step * distance, "D"))
        is_candidate = is_working_day(weeks, people, day) & ~np.isin(day, holiday_dates)
        nearest = np.where(np.isnat(nearest) & is_candidate, day, nearest)
        if not np.isnat(nearest).any():
            break
    return nearest
