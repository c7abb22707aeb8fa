"""Employees with children, and what leave for them depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial

from gaji.db.tenancy import Transaction
from gaji.engine.leave.children import Parent
from gaji.engine.leave.day_length import LeaveDayError
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.people.children.queries import Family, load_families


@dataclass(frozen=True)
class Parents:
    """Some employees with children."""

    families: Mapping[int, Family]
    day_lengths: DayLengths

    def parent(self, employee_id: int, first: date, last: date | None, take_on_date: date | None) -> Parent:
        """Return a parent in one service."""
        family = self.families[employee_id]
        week_millidays = partial(self._week_millidays, employee_id)
        return Parent(family.is_mother, first, last, family.children, week_millidays, take_on_date)

    def _week_millidays(self, employee_id: int, day: date) -> Fraction:
        try:
            week = self.day_lengths.week(employee_id, day)
        except LeaveDayError:
            return Fraction(0)
        return Fraction(week.cycle_millidays, week.cycle_weeks)


async def load_parents(tx: Transaction, client_id: int, employee_ids: Sequence[int] | None = None) -> Parents | None:
    """Load the employees with children, of some employees or of the whole client. None if there are none."""
    families = await load_families(tx, client_id, employee_ids)
    return Parents(families, await load_day_lengths(tx, client_id, list(families))) if families else None
