"""The boxes of form IR8A and what goes into each: sums in cents, rounded to the form's dollars once, at the end."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files

from gaji.engine.money import CENTS_PER_DOLLAR

OTHERS = "d"
"""The box that the parts d1 to d9 add up to."""
TOTAL = "total"

Amounts = Mapping[str, int]
"""Cents by place: an item, or a part of one as in `b.contractual`."""


class BoxSide(StrEnum):
    """What an amount in a box does."""

    INCOME = "income"
    PART = "part"
    BESIDE = "beside"
    DEDUCTION = "deduction"


@dataclass(frozen=True)
class Box:
    """One box of the form."""

    item: str
    letter: str
    side: BoxSide
    caption: str
    parts: Mapping[str, str] = field(default_factory=dict)
    """The caption of each part that the form divides it into."""
    rest: str = ""
    uncounted: Sequence[str] = ()

    def place(self, part: str | None) -> str:
        """Where an amount of this item is kept."""
        return f"{self.item}.{part or self.rest}" if self.parts else self.item

    def cents(self, amounts: Amounts) -> int:
        """What the box comes to."""
        if not self.parts:
            return amounts.get(self.item, 0)
        return sum(amounts.get(self.place(part), 0) for part in self.parts if part not in self.uncounted)


def _read() -> dict[str, Box]:
    tables = tomllib.loads(files(__package__).joinpath("boxes.toml").read_text())["box"]
    return {table["item"]: Box(**{**table, "side": BoxSide(table["side"])}) for table in tables}


BOXES: Mapping[str, Box] = _read()


def on(side: BoxSide) -> list[Box]:
    """The boxes of one side, in the order of the form."""
    return [box for box in BOXES.values() if box.side == side]


def dollars_by_box(amounts: Amounts) -> dict[str, int]:
    """The boxes that take whole dollars: a, b, c, d, their total, what stands beside it, and the deductions.

    Each is rounded once, from the cents of the whole year, and the total adds up what the form shows.
    """
    found = {box.item: _dropped(box.cents(amounts)) for box in on(BoxSide.INCOME)}
    found[OTHERS] = _dropped(sum(box.cents(amounts) for box in on(BoxSide.PART)))
    found[TOTAL] = sum(found.values())
    found |= {box.item: _dropped(box.cents(amounts)) for box in on(BoxSide.BESIDE)}
    return found | {box.item: _raised(box.cents(amounts)) for box in on(BoxSide.DEDUCTION)}


def _dropped(cents: int) -> int:
    """Dollars of income: cents are dropped."""
    return cents // CENTS_PER_DOLLAR if cents >= 0 else -(-cents // CENTS_PER_DOLLAR)


def _raised(cents: int) -> int:
    """Dollars of a deduction: a part of a dollar is a dollar."""
    return -(-cents // CENTS_PER_DOLLAR)
