"""Employees with children, and what leave for them depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.children import Parent
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.part_time import part_time_hours
from gaji.engine.leave.policies import Policies, policy_on
from gaji.law.leave.part_time import PartTimeHours
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.types.queries import LeaveType
from gaji.people.children.queries import Family, load_families


@dataclass(frozen=True)
class Parents:
    """Some employees with children."""

    families: Mapping[int, Family]
    day_lengths: DayLengths
    policies: Mapping[str, Policies]
    """The policies of leave types, which say whether leave for children is in proportion to the hours."""

    def parent(self, employee_id: int, first: date, last: date | None, take_on_date: date | None) -> Parent:
        """Return a parent in one service."""
        family = self.families[employee_id]
        week_millidays = partial(self._week_millidays, employee_id)
        part_time = partial(self._part_time_hours, employee_id)
        return Parent(family.is_mother, first, last, family.children, week_millidays, take_on_date, part_time)

    def _part_time_hours(self, employee_id: int, leave_type: str, day: date) -> PartTimeHours | None:
        full_time = policy_on(self.policies[leave_type], day).full_time
        if full_time is None:
            return None
        limit = current_law().leave.part_time_below.nearest(day).value
        return part_time_hours(self.day_lengths.schedule(employee_id).on(day), full_time, limit)

    def _week_millidays(self, employee_id: int, day: date) -> Fraction:
        try:
            week = self.day_lengths.week(employee_id, day)
        except LeaveDayError:
            return Fraction(0)
        return Fraction(week.cycle_millidays, week.cycle_weeks)


async def load_parents(
    tx: Transaction, client_id: int, leave_types: Sequence[LeaveType], employee_ids: Sequence[int] | None = None
) -> Parents | None:
    """Load the employees with children, of some employees or of the whole client. None if there are none."""
    families = await load_families(tx, client_id, employee_ids)
    if not families:
        return None
    policies = {leave_type.system_type: leave_type.policies for leave_type in leave_types if leave_type.system_type}
    return Parents(families, await load_day_lengths(tx, client_id, list(families)), policies)
