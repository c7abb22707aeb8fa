"""Leave that the law grants for children, as movements: days that are granted, and unused days that lapse.

Childcare, extended childcare and infant care leave are granted for calendar years, as long as a child has the age.
Unused days lapse at the end of the year, or on the birthday after which no child has the age. Maternity, paternity,
shared parental and adoption leave are granted once for a birth or adoption and lapse after twelve months.

Days after the last month that the parameters cover follow the last known rules. Nothing is granted before the first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile

import numpy as np

from gaji.engine.leave.child_leave_types import CHILDCARE, EXTENDED_CHILDCARE, INFANT_CARE
from gaji.engine.leave.children import Child, Parent
from gaji.engine.leave.leave_years import ServiceStarts
from gaji.engine.leave.movements import Movement, MovementKind
from gaji.engine.leave.parental_leave import list_parental_grants
from gaji.law.columns import date_column, flags
from gaji.law.leave import LeaveParameters, childcare
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.length_of_service import completed_months_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.quantities import MILLI, Counts, counts, format_millis

INFANT_END, CHILD_END, EXTENDED_END = 2, 7, 13
"""The ages at which infant care, childcare and extended childcare leave end."""
YEARLY_TYPES = (CHILDCARE, EXTENDED_CHILDCARE, INFANT_CARE)
TYPES_WITH_MINIMUM = (CHILDCARE, EXTENDED_CHILDCARE)
"""The types of which part-time employees have a minimum."""
AGES = (INFANT_END, CHILD_END, EXTENDED_END)

TakenDays = Sequence[tuple[date, int]]
"""Leave taken: date and thousandths of days, in chronological order."""
TakenLeave = Mapping[str, TakenDays]
"""Leave taken, by type."""
MovementsByType = dict[str, list[Movement]]


def list_child_leave(
    law: LeaveParameters, parent: Parent, taken: TakenLeave, until: date, *, only_remaining: bool = False
) -> MovementsByType:
    """List what the law grants a parent up to a day and what lapses, by leave type, in chronological order.

    With `only_remaining`, earlier years in which no leave was taken are left out: all of their days have lapsed.
    """
    movements = list_parental_grants(law, parent, taken, until)
    first_day = law.childcare.covered_from.first_day
    last_year = max((child.birthday(EXTENDED_END).year for child in parent.children), default=0)
    years_with_leave = {day.year for leave_type in YEARLY_TYPES for day, _ in taken.get(leave_type, ())}
    for year in range(max(first_day, parent.first).year, min(until.year, last_year) + 1):
        start = max(date(year, 1, 1), first_day, parent.first)
        end = min(date(year, 12, 31), until, parent.last or until)
        is_left_out = only_remaining and year < until.year and year not in years_with_leave
        if start < parent.counted_from or is_left_out:
            continue
        for leave_type, targets in _year_targets(law, parent, taken, start, end).items():
            days = taken.get(leave_type, ())
            movements.setdefault(leave_type, []).extend(_year_movements(targets, days, until))
    return movements


@dataclass(frozen=True)
class _Target:
    """The days of a calendar year that a parent has from a date on."""

    date: date
    millidays: int
    reason: str


def _year_targets(
    law: LeaveParameters, parent: Parent, taken: TakenLeave, start: date, end: date
) -> dict[str, list[_Target]]:
    """The days of each type in a year, on every date on which they may change."""
    dates = _change_dates(parent, start, end)
    month = clamp_month(law, start)
    months = completed_months_before(date_column([parent.first] * len(dates)), date_column(dates))
    columns = year_entitlements(law, month, parent, taken, dates, months)
    shares = {leave_type: _year_share(law, parent, leave_type, dates, days) for leave_type, days in columns.items()}
    sources = {
        CHILDCARE: law.childcare.at(month).source,
        EXTENDED_CHILDCARE: law.extended_childcare.at(month).source,
        INFANT_CARE: law.infant_care.at(month).source,
    }
    return {
        leave_type: [
            _Target(day, shares[leave_type].millidays(days), shares[leave_type].reason(day, days, sources[leave_type]))
            for day, days in zip(dates, column.tolist(), strict=True)
        ]
        for leave_type, column in columns.items()
    }


@dataclass(frozen=True)
class YearShare:
    """The part of a year's days that a part-time employee has."""

    law: LeaveParameters
    month: Month
    leave_type: str
    hours: PartTimeHours | None
    """None: all of the days."""

    def millidays(self, days: int) -> int:
        """The own days for the days of a full-time employee, in thousandths."""
        if self.hours is None:
            return days * MILLI
        has_minimum = self.leave_type in TYPES_WITH_MINIMUM
        return childcare.part_time_millidays(self.law, self.month, days, self.hours, has_minimum=has_minimum)

    def reason(self, day: date, days: int, source: str) -> str:
        """The reason of a grant."""
        millidays = self.millidays(days)
        if self.hours is None or millidays == days * MILLI:
            return f"{day.year}: {days} days a year ({source})"
        own_days = format_millis(millidays)
        return f"{day.year}: {own_days} days a year for {days} of a full-time employee, by hours ({source})"


def year_share(law: LeaveParameters, parent: Parent, taken: TakenLeave, leave_type: str, day: date) -> YearShare:
    """The part of the days that a parent has in the calendar year of a day."""
    start = max(date(day.year, 1, 1), law.childcare.covered_from.first_day, parent.first)
    dates = _change_dates(parent, start, day)
    months = completed_months_before(date_column([parent.first] * len(dates)), date_column(dates))
    columns = year_entitlements(law, clamp_month(law, start), parent, taken, dates, months)
    return _year_share(law, parent, leave_type, dates, columns[leave_type])


def _year_share(
    law: LeaveParameters, parent: Parent, leave_type: str, dates: Sequence[date], column: Counts
) -> YearShare:
    """The part of the days by the hours on the first date of the year on which there are any."""
    since = next((day for day, days in zip(dates, column.tolist(), strict=True) if days), None)
    hours = None if since is None else parent.part_time_hours(leave_type, since)
    return YearShare(law, clamp_month(law, since or law.childcare.covered_from.first_day), leave_type, hours)


def year_entitlements(
    law: LeaveParameters, month: Month, parent: Parent, taken: TakenLeave, dates: Sequence[date], months: Counts
) -> dict[str, Counts]:
    """The days of a calendar year of each type on some of its dates, given the completed months of service."""
    citizens = [child for child in parent.children if child.citizen]
    others = [child for child in parent.children if not child.citizen]
    has_citizen, has_other = (_has_child(group, dates, 0, CHILD_END) for group in (citizens, others))
    childcare_days = childcare.days_per_year(law, month, months, flags(has_citizen), flags(has_other))
    childcare_days = np.minimum(childcare_days, _days_left(law, month, parent.children, taken, dates))
    counted = np.maximum(childcare_days, counts([childcare_days_taken(taken, day) for day in dates]))
    has_older, has_infant = (
        flags(_has_child(citizens, dates, *ages)) for ages in ((CHILD_END, EXTENDED_END), (0, INFANT_END))
    )
    return {
        CHILDCARE: childcare_days,
        EXTENDED_CHILDCARE: childcare.extended_days(law, month, months, has_older, counted),
        INFANT_CARE: childcare.infant_care_days(law, month, months, has_infant),
    }


def clamp_month(law: LeaveParameters, day: date) -> Month:
    """The month of a day, or the nearest month that the parameters of childcare leave cover."""
    history = law.childcare
    return min(max(Month.from_date(day), history.covered_from), history.covered_until)


def childcare_days_taken(taken: TakenLeave, day: date) -> int:
    """The days of childcare leave taken in the calendar year of a day before it, in whole days, rounded up."""
    millidays = _sum_taken(taken.get(CHILDCARE, ()), date(day.year, 1, 1), day)
    return -(-millidays // MILLI)


def days_taken_for_child(children: Sequence[Child], taken: TakenLeave, child: Child, before: date) -> int:
    """The days of childcare leave taken for a child before a day, in whole days, rounded up.

    A day counts for the oldest child under 7.
    """
    millidays = 0
    for day, amount in takewhile(lambda entry: entry[0] < before, taken.get(CHILDCARE, ())):
        under_7 = [other for other in children if other.is_aged(day, 0, CHILD_END)]
        if under_7 and min(under_7, key=lambda other: other.birthdate) == child:
            millidays += amount
    return -(-millidays // MILLI)


def _days_left(
    law: LeaveParameters, month: Month, children: Sequence[Child], taken: TakenLeave, dates: Sequence[date]
) -> Counts:
    """The days that the children under 7 have left of their lifetime maximum at the start of the year."""
    if not dates or not children:
        return counts([0] * len(dates))
    year_start = date(dates[0].year, 1, 1)
    used = counts([days_taken_for_child(children, taken, child, year_start) for child in children])
    left = childcare.days_left_for_child(law, month, used)
    is_under_7 = np.array([[child.is_aged(day, 0, CHILD_END) for child in children] for day in dates])
    days: Counts = (is_under_7 * left).sum(axis=1)
    return days


def _has_child(children: Sequence[Child], dates: Sequence[date], first_age: int, end_age: int) -> list[bool]:
    return [any(child.is_aged(day, first_age, end_age) for child in children) for day in dates]


def _change_dates(parent: Parent, start: date, end: date) -> list[date]:
    """The dates of a year on which the days may change: its first, months of service and the dates of children."""
    numbers = counts(range(1, MONTHS_PER_YEAR + 1))
    starts = ServiceStarts.from_dates(date_column([parent.first] * MONTHS_PER_YEAR))
    dates = {start, *starts.month_starts(numbers).astype(object).tolist()}
    for child in parent.children:
        dates |= {child.counts_from, *(child.birthday(age) for age in AGES)}
    return sorted(day for day in dates if start <= day <= end)


def _year_movements(targets: Sequence[_Target], taken: TakenDays, until: date) -> Iterator[Movement]:
    """The movements of one type in one year."""
    granted, first_grant = 0, None
    for target in targets:
        used = 0 if first_grant is None else _sum_taken(taken, first_grant, target.date)
        if target.millidays > granted:
            first_grant = first_grant or target.date
            yield Movement(target.date, MovementKind.GRANT, target.millidays - granted, target.reason)
            granted = target.millidays
        elif (remaining := max(target.millidays, min(used, granted))) < granted:
            reason = "No child has the age for it any more" if not target.millidays else target.reason
            yield Movement(target.date, MovementKind.LAPSE, remaining - granted, reason)
            granted = remaining
    if first_grant is None or until.year == first_grant.year:
        return
    unused = granted - min(_sum_taken(taken, first_grant, year_end := date(first_grant.year + 1, 1, 1)), granted)
    if unused:
        yield Movement(year_end, MovementKind.LAPSE, -unused, f"Not taken in {first_grant.year}")


def _sum_taken(taken: Iterable[tuple[date, int]], first: date, end: date) -> int:
    """The thousandths of days taken from a first day to the day before the end."""
    return sum(millidays for day, millidays in taken if first <= day < end)
