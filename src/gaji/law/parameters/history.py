"""A parameter over time: which value was in force when, since when, and who says so."""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from gaji.law.months import Month

T = TypeVar("T", covariant=True)


class MonthNotCovered(LookupError):
    """There is no value for this month; nothing is computed with the nearest one."""

    def __init__(self, subject: str, month: Month, first: Month, last: Month) -> None:
        super().__init__(f"{subject} is known from {first} to {last}, not for {month}")
        self.subject = subject
        self.month = month
        self.first = first
        self.last = last


@dataclass(frozen=True)
class DatedValue(Generic[T]):
    """A value of the law, since when it holds, and who says so."""

    value: T
    since: date
    source: str


@dataclass(frozen=True)
class History(Generic[T]):
    """All values of one parameter, newest first."""

    name: str
    unit: str
    values: tuple[DatedValue[T], ...]
    covered_until: Month
    _found: dict[int, DatedValue[T]] = field(default_factory=dict, compare=False, repr=False)
    """By number, months that were asked for: a payslip asks for the same one many times over."""

    @property
    def covered_from(self) -> Month:
        """The first month with a value."""
        return Month.from_date(self.values[-1].since)

    def at(self, month: Month) -> DatedValue[T]:
        """The value in force in a month; raises LawDoesNotCover."""
        if (found := self._found.get(month.number)) is None:
            found = self._found[month.number] = self.on(month.first_day)
        return found

    def on(self, day: date) -> DatedValue[T]:
        """The value in force on a day; raises LawDoesNotCover."""
        month = Month.from_date(day)
        if month <= self.covered_until:
            for value in self.values:
                if value.since <= day:
                    return value
        raise MonthNotCovered(self.name, month, self.covered_from, self.covered_until)
