"""A parameter over time: its values, when each took effect, and the source of each."""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from gaji.law.months import Month

T = TypeVar("T", covariant=True)


class MonthNotCovered(LookupError):
    """The parameter has no value for this month. The nearest value is never used instead."""

    def __init__(self, subject: str, month: Month, first: Month, last: Month) -> None:
        super().__init__(f"{subject} covers {first} to {last}, not {month}")
        self.subject = subject
        self.month = month
        self.first = first
        self.last = last


@dataclass(frozen=True)
class DatedValue(Generic[T]):
    """A value with the date it took effect and its source."""

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
    _by_month: dict[int, DatedValue[T]] = field(default_factory=dict, compare=False, repr=False)
    """A cache by month number: a payslip looks up the same month many times."""

    @property
    def covered_from(self) -> Month:
        """The first month with a value."""
        return Month.from_date(self.values[-1].since)

    def at(self, month: Month) -> DatedValue[T]:
        """The value in force in a month; raises MonthNotCovered."""
        if (value := self._by_month.get(month.number)) is None:
            value = self._by_month[month.number] = self.on(month.first_day)
        return value

    def on(self, day: date) -> DatedValue[T]:
        """The value in force on a day; raises MonthNotCovered."""
        month = Month.from_date(day)
        if month <= self.covered_until:
            for value in self.values:
                if value.since <= day:
                    return value
        raise MonthNotCovered(self.name, month, self.covered_from, self.covered_until)
