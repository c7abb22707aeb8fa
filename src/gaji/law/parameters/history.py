"""A parameter over time: its values, when each took effect, and the source of each."""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from gaji.law.months import Month

T = TypeVar("T", covariant=True)

SUBJECT_NAMES = {
    "cpf": "CPF",
    "self_help_funds": "the self-help funds",
    "self_help_funds.MBMF": "the Mosque Building and Mendaki Fund, without an amount entered,",
    "sdl": "the skills development levy",
    "levy": "the foreign worker levy",
    "pay": "the Employment Act",
    "holidays": "the public holidays",
    "leave": "statutory leave",
    "government_paid_leave": "government-paid leave",
    "tax": "income tax",
    "benefits_in_kind": "benefits in kind",
    "share_gains": "share gains",
}
"""What people call the subjects, and those keys that have a name of their own."""


class MonthNotCovered(LookupError):
    """The parameter has no value for this month. The nearest value is never used instead."""

    def __init__(self, subject: str, month: Month, first: Month, last: Month) -> None:
        super().__init__(f"{subject} covers {first} to {last}, not {month}")
        self.subject = subject
        self.month = month
        self.first = first
        self.last = last

    @property
    def params(self) -> dict[str, str]:
        """The values in the message, by name."""
        return {
            "subject": self.subject,
            "month": str(self.month),
            "first": str(self.first),
            "last": str(self.last),
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """The error as a payroll officer reads it."""
        subject = SUBJECT_NAMES.get(self.subject) or SUBJECT_NAMES.get(self.subject.partition(".")[0], "the law")
        covered = f"from {self.first.long_name} to {self.last.long_name}"
        return f"{self.month.long_name} cannot be calculated: the figures of {subject} are known {covered}"


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

    def nearest(self, day: date) -> DatedValue[T]:
        """The value in force on a day, or the nearest one for a day that is not covered.

        Only for switches and deadlines, which have no figures that could be out of date.
        """
        return next((value for value in self.values if value.since <= day), self.values[-1])
