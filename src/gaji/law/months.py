"""Calendar months, the unit of most payroll rules.

>>> Month.parse("2026-11") + 2
Month(year=2027, month=1)
>>> Month(2026, 1) - 1
Month(year=2025, month=12)
>>> Month(2026, 3) - Month(2024, 12)
15
>>> str(Month.from_date(date(2026, 2, 28)))
'2026-02'
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import overload

MONTHS_PER_YEAR = 12
DECEMBER = 12


@dataclass(frozen=True, order=True)
class Month:
    """One month of one year."""

    year: int
    month: int

    def __post_init__(self) -> None:
        if not (1 <= self.month <= MONTHS_PER_YEAR and 1 <= self.year <= date.max.year):
            raise ValueError(f"{self} is not a month")

    @classmethod
    def from_date(cls, day: date) -> "Month":
        """Return the month that contains this day."""
        return _month(day.year, day.month)

    @classmethod
    def parse(cls, text: str) -> "Month":
        """Parse YYYY-MM; raise ValueError."""
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", text):
            raise ValueError(f"{text!r} is not a month such as 2026-01")
        return _month(int(text[:4]), int(text[5:]))

    @classmethod
    def from_number(cls, number: int) -> "Month":
        """Return the month with this `number`."""
        year, month = divmod(number, MONTHS_PER_YEAR)
        return _month(year, month + 1)

    @cached_property
    def number(self) -> int:
        """The months since January of year 0. Hashes faster than the month itself."""
        return self.year * MONTHS_PER_YEAR + self.month - 1

    @cached_property
    def first_day(self) -> date:
        """The first day of the month."""
        return date(self.year, self.month, 1)

    @cached_property
    def last_day(self) -> date:
        """The last day of the month."""
        return date(self.year, self.month, monthrange(self.year, self.month)[1])

    def __add__(self, months: int) -> "Month":
        return Month.from_number(self.number + months)

    @overload
    def __sub__(self, other: "Month") -> int: ...

    @overload
    def __sub__(self, other: int) -> "Month": ...

    def __sub__(self, other: "Month | int") -> "Month | int":
        if isinstance(other, Month):
            return self.number - other.number
        return Month.from_number(self.number - other)

    @property
    def long_name(self) -> str:
        """The month as people write it, such as January 2026."""
        return f"{self.first_day:%B} {self.year}"

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self.year:04d}-{self.month:02d}"


@lru_cache(maxsize=1024)
def _month(year: int, month: int) -> Month:
    """Return a shared month, whose cached properties are computed once."""
    return Month(year, month)
