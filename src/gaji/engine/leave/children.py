"""The children of an employee, as far as leave depends on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction

from gaji.law.leave.part_time import PartTimeHours
from gaji.law.quantities import HALF_DAY, MILLI

A_DAY = timedelta(days=1)
MAX_WEEK_MILLIDAYS = Fraction(6 * MILLI)
"""A week of parental leave counts at most six days."""


class Relationship(StrEnum):
    """How a child is related to the employee."""

    BIRTH_CHILD = "birth_child"
    ADOPTED = "adopted"
    STEPCHILD = "stepchild"


@dataclass(frozen=True)
class Child:
    """One child of an employee."""

    birthdate: date
    citizen: bool
    relationship: Relationship = Relationship.BIRTH_CHILD
    adoption_date: date | None = None
    """The date of the formal intent to adopt."""
    shared_weeks: int | None = None
    """The weeks of shared parental leave that the couple agreed on. None: the default of the law."""
    leave_from: date | None = None
    """The first day on which the child counts. None: from the birth or the adoption."""

    @property
    def counts_from(self) -> date:
        """The first day on which the child counts for childcare leave."""
        start = self.adoption_date or self.birthdate
        return start if self.leave_from is None else max(start, self.leave_from)

    def birthday(self, age: int) -> date:
        """The day on which the child reaches an age. Born on 29 February: 1 March in other years."""
        return anniversary(self.birthdate, age)

    def is_aged(self, day: date, first_age: int, end_age: int) -> bool:
        """Whether the child counts on a day and has reached the first age but not the end age."""
        return self.counts_from <= day and self.birthday(first_age) <= day < self.birthday(end_age)


def no_part_time_hours(_leave_type: str, _day: date) -> PartTimeHours | None:
    """The hours of a parent whose leave does not depend on them."""
    return None


@dataclass(frozen=True)
class Parent:
    """An employee with children, in one service."""

    is_mother: bool
    first: date
    last: date | None
    children: Sequence[Child]
    week_millidays: Callable[[date], Fraction]
    """The average working days of a week on a date."""
    take_on_date: date | None = None
    """The day of an opening balance, which includes all grants before it."""
    part_time_hours: Callable[[str, date], PartTimeHours | None] = no_part_time_hours
    """The hours to which leave of a type is in proportion on a date. None: the parent has all of the days."""

    @property
    def counted_from(self) -> date:
        """The first day of grants."""
        return self.take_on_date or self.first

    def weeks_millidays(self, weeks: int, day: date) -> int:
        """The days that some weeks of leave count, rounded down to half a day."""
        week = min(self.week_millidays(day), MAX_WEEK_MILLIDAYS)
        return weeks * week // HALF_DAY * HALF_DAY

    def serves(self, day: date) -> bool:
        """Whether a day is in the service."""
        return self.first <= day and (self.last is None or day <= self.last)


def anniversary(day: date, years: int) -> date:
    """The same day some years later. 29 February becomes 1 March.

    >>> anniversary(date(2020, 2, 29), 7), anniversary(date(2020, 2, 29), 8)
    (datetime.date(2027, 3, 1), datetime.date(2028, 2, 29))
    """
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
