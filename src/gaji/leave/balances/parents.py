"""Employees with children, and what leave for them depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from gaji.db.tenancy import Transaction
from gaji.engine.leave.children import Parent
from gaji.engine.leave.day_length import LeaveDayError
from gaji.law.quantities import MILLI
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
        week_half_days = partial(self._week_half_days, employee_id)
        return Parent(family.is_mother, first, last, family.children, week_half_days, take_on_date)

    def _week_half_days(self, employee_id: int, day: date) -> int:
        try:
            week = self.day_lengths.week(employee_id, day)
        except LeaveDayError:
            return 0
        return sum(week.half_days) if week.week_millidays is None else 2 * week.week_millidays // MILLI


async def load_parents(tx: Transaction, client_id: int, employee_ids: Sequence[int] | None = None) -> Parents | None:
    """Load the employees with children, of some employees or of the whole client. None if there are none."""
    families = await load_families(tx, client_id, employee_ids)
    return Parents(families, await load_day_lengths(tx, client_id, list(families))) if families else None
