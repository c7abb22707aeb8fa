"""The boxes of form IR8A. Amounts are summed in cents and rounded to dollars once, at the end."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files

from gaji.law.rounding import dollars_rounded_up, whole_dollars

OTHERS = "d"
"""The box with the sum of d1 to d9."""
TOTAL = "total"

Amounts = Mapping[str, int]
"""Cents by amount key: an item such as `a`, or a part of one such as `b.contractual`."""


class BoxCategory(StrEnum):
    """How the form treats the amount of a box."""

    INCOME = "income"
    OTHER_INCOME = "other_income"
    SEPARATE = "separate"
    DEDUCTION = "deduction"


@dataclass(frozen=True)
class Box:
    """One box of the form."""

    item: str
    letter: str
    category: BoxCategory
    caption: str
    parts: Mapping[str, str] = field(default_factory=dict)
    """The parts into which the form divides the box, with their captions."""
    default_part: str = ""
    excluded_parts: Sequence[str] = ()

    def amount_key(self, part: str | None) -> str:
        """Return the key under which an amount of this box is stored."""
        return f"{self.item}.{part or self.default_part}" if self.parts else self.item

    def total_cents(self, amounts: Amounts) -> int:
        """Return the sum of the box."""
        if not self.parts:
            return amounts.get(self.item, 0)
        return sum(amounts.get(self.amount_key(part), 0) for part in self.parts if part not in self.excluded_parts)


def _load_boxes() -> dict[str, Box]:
    tables = tomllib.loads(files(__package__).joinpath("boxes.toml").read_text())["box"]
    return {table["item"]: Box(**{**table, "category": BoxCategory(table["category"])}) for table in tables}


BOXES: Mapping[str, Box] = _load_boxes()


def _amount_captions() -> dict[str, str]:
    captions: dict[str, str] = {}
    for box in BOXES.values():
        caption = f"{box.letter} {box.caption}".strip()
        captions |= {box.amount_key(part): f"{caption}: {name}" for part, name in box.parts.items()} or {
            box.item: caption
        }
    return captions


AMOUNT_CAPTIONS: Mapping[str, str] = _amount_captions()
"""The letter and the caption of each box, or of each of its parts, by amount key, in the order of the form."""


def boxes_in(category: BoxCategory) -> list[Box]:
    """Return the boxes of a category, in the order of the form."""
    return [box for box in BOXES.values() if box.category == category]


def dollars_by_box(amounts: Amounts) -> dict[str, int]:
    """Return the boxes that take whole dollars: a, b, c, d, their total, e, f and the deductions.

    Each box is rounded once, from the cents of the whole year. The total is the sum of the rounded boxes.
    """
    cents: dict[str, int] = {}
    for key, amount in amounts.items():
        if box := DOLLAR_BOXES.get(key):
            cents[box] = cents.get(box, 0) + amount
    dollars = dict(NO_DOLLARS)
    for box, amount in cents.items():
        dollars[box] = dollars_rounded_up(amount) if box in DEDUCTIONS else whole_dollars(amount)
    dollars[TOTAL] = sum(dollars[box] for box in TOTALLED)
    return dollars


def _dollar_boxes() -> dict[str, str]:
    keys: dict[str, str] = {}
    for box in BOXES.values():
        item = OTHERS if box.category == BoxCategory.OTHER_INCOME else box.item
        included = [part for part in box.parts if part not in box.excluded_parts] if box.parts else [None]
        keys |= {box.amount_key(part): item for part in included}
    return keys


DOLLAR_BOXES: Mapping[str, str] = _dollar_boxes()
"""The box in whole dollars that an amount belongs to, by amount key. Amounts in no sum are omitted."""
TOTALLED = (*(box.item for box in boxes_in(BoxCategory.INCOME)), OTHERS)
DEDUCTIONS = frozenset(box.item for box in boxes_in(BoxCategory.DEDUCTION))
SEPARATE = tuple(box.item for box in boxes_in(BoxCategory.SEPARATE))
NO_DOLLARS = dict.fromkeys((*TOTALLED, TOTAL, *SEPARATE, *(box.item for box in boxes_in(BoxCategory.DEDUCTION))), 0)
