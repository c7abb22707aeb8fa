"""Texts of explanations whose dates, months and amounts are also data, so that pages can write them as people do.

>>> period = Phrase(date(2026, 8, 1), " to ", date(2026, 8, 31))
>>> period == "2026-08-01 to 2026-08-31", period.parts[0]
(True, datetime.date(2026, 8, 1))
"""

from dataclasses import dataclass
from datetime import date
from typing import Self

from gaji.law.explanation import money
from gaji.law.months import Month


@dataclass(frozen=True)
class MoneyPart:
    """An amount of money in a phrase."""

    cents: int

    def __str__(self) -> str:
        return money(self.cents)


PhrasePart = str | date | Month | MoneyPart


class Phrase(str):
    """A text that the API returns as it is, and its parts."""

    __slots__ = ("parts",)

    parts: tuple[PhrasePart, ...]

    def __new__(cls, *parts: PhrasePart) -> Self:
        """Join the parts."""
        phrase = super().__new__(cls, "".join(map(str, parts)))
        phrase.parts = parts
        return phrase
