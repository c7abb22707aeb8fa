"""Unpaid leave of a pay period in working days, public holidays inside it included (Employment Act 1968, s. 20A)."""

from dataclasses import dataclass

import numpy as np

from gaji.engine.leave.balances import People
from gaji.law.columns import Dates, Flags
from gaji.law.holidays import HolidayCalendar
from gaji.law.length_of_service import DAYS_PER_WEEK
from gaji.law.pay.working_days import OFF, THURSDAY, WHOLE, Weeks
from gaji.law.quantities import HALF_DAY, Millis

MAX_SEARCH_DAYS = 14
"""How far from a holiday the next working day is looked for; nobody has two weeks of days off and holidays."""


@dataclass(frozen=True)
class UnpaidDates:
    """Dates with unpaid leave, one for each person and date."""

    people: People
    dates: Dates
    working_millidays: Millis
    """What is unpaid of the date."""
    whole: Flags
    """Whether all of the date is."""


def unpaid_millidays(holidays: HolidayCalendar, weeks: Weeks, unpaid: UnpaidDates, first: Dates, last: Dates) -> Millis:
    """The unpaid working days of each person from a first to a last day; days of leave before and after count beside
    a holiday only."""
    people = unpaid.people
    within = (first[people] <= unpaid.dates) & (unpaid.dates <= last[people])
    weights = np.where(within, unpaid.working_millidays, 0)
    total: Millis = np.bincount(people, weights=weights, minlength=len(first)).astype(np.int64)
    whole = _Dates(people[unpaid.whole], unpaid.dates[unpaid.whole])
    concerned = np.unique(whole.people)
    if not len(concerned):
        return total
    off = holidays.dates
    for holiday in off[(off >= first[concerned].min()) & (off <= last[concerned].max())]:
        who = concerned[(first[concerned] <= holiday) & (holiday <= last[concerned])]
        who = who[_is_working(weeks, who, np.full(len(who), holiday))]
        before, after = (_next_working(weeks, off, who, holiday, step) for step in (-1, 1))
        lost = who[whole.have(who, before) & whole.have(who, after)]
        total[lost] += WHOLE * HALF_DAY
    return total


@dataclass(frozen=True)
class _Dates:
    """Dates of people, to ask whether someone has one."""

    people: People
    dates: Dates

    def have(self, who: People, dates: Dates) -> Flags:
        return np.isin(_key(who, dates), _key(self.people, self.dates))


def _key(people: People, dates: Dates) -> Millis:
    """One number for a person and a date: a date has fewer than 32 bits."""
    keys: Millis = people.astype(np.int64) << 32 | (dates.astype(np.int64) & 0xFFFFFFFF)
    return keys


def _next_working(weeks: Weeks, off: Dates, who: People, holiday: np.datetime64, step: int) -> Dates:
    """The nearest working day of each person before or after a holiday that is none itself; NaT where there is none."""
    found = np.full(len(who), np.datetime64("NaT", "D"))
    for distance in range(1, MAX_SEARCH_DAYS + 1):
        day = np.full(len(who), holiday + np.timedelta64(step * distance, "D"))
        found = np.where(np.isnat(found) & _is_working(weeks, who, day) & ~np.isin(day, off), day, found)
    return found


def _is_working(weeks: Weeks, who: People, dates: Dates) -> Flags:
    working: Flags = weeks[who, (dates.astype(np.int64) + THURSDAY) % DAYS_PER_WEEK] != OFF
    return working
