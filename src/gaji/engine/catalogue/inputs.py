"""Inputs of calculations: what may be entered, and the one form in which it is kept.

Kept as JSON: money and quantities as decimal text, dates as text, yes and no as booleans.

>>> Input("amount", InputKind.MONEY, "The amount.").read("1234.5")
'1234.50'
>>> Input("days", InputKind.QUANTITY, "Days.").read("2.50")
'2.5'
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from gaji.engine.money import InvalidAmount, to_cents, decimal_text

LEVELS = ("client", "profile", "employee", "payslip")
"""From the farthest to the closest."""
MAX_DOLLARS = 100_000_000
"""No item of a payslip is a hundred million dollars; one that is has too many zeros."""
MAX_QUANTITY = 100_000
MAX_PERCENTAGE = 1000
MAX_CHARACTERS = 255
NUMBER_PATTERN = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")
"""How numbers are written. Python would also take other digits, underscores and blanks."""
DECIMALS = 3
"""Of quantities and percentages: thousandths."""
CONTROL = frozenset(map(chr, (*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))))

StoredValue = str | bool
"""An input as it is kept."""


class InputKind(StrEnum):
    """What a value is."""

    MONEY = "money"
    QUANTITY = "quantity"
    HALVES = "halves"
    """A quantity that is counted in halves."""
    PERCENTAGE = "percentage"
    BOOLEAN = "boolean"
    DATE = "date"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True)
class InputField:
    """One thing that can be entered for a calculation."""

    name: str
    kind: InputKind
    description: str
    choices: tuple[str, ...] = ()
    default: StoredValue | None = None
    levels: tuple[str, ...] = LEVELS
    maximum: int | None = None
    """The most that is no slip of the keyboard, where the kind alone does not say."""
    sets_tax_year: bool = False
    """A date whose year the item is income of, in place of the pay date's."""

    def parse(self, value: object) -> StoredValue:
        """The value as it is kept; raises ValueError with what is wrong."""
        return READERS[self.kind](self, value)

    def to_json(self) -> dict[str, Any]:
        """The input as the discovery of calculation types shows it."""
        shape: dict[str, Any] = {
            "name": self.name,
            "type": self.kind.value,
            "required": False,
            "description": self.description,
            "levels": list(self.levels),
        }
        if self.choices:
            shape["allowed_values"] = list(self.choices)
        if self.default is not None:
            shape["default"] = self.default
        return shape


def _money(one: InputField, value: object) -> str:
    most = one.maximum or MAX_DOLLARS
    if isinstance(value, str) and not NUMBER_PATTERN.fullmatch(value):
        raise ValueError("must be an amount such as 1234.50")
    try:
        amount = to_cents(value)  # type: ignore[arg-type]  # it refuses what is neither text nor an exact number
    except InvalidAmount as error:
        raise ValueError(str(error)) from None
    if amount < 0:
        raise ValueError("must not be negative")
    if amount > most * 100:
        raise ValueError(f"must not be above {most:,}.00")
    return decimal_text(amount)


def _quantity(one: InputField, value: object) -> str:
    most = one.maximum or (MAX_PERCENTAGE if one.kind == InputKind.PERCENTAGE else MAX_QUANTITY)
    number = _number(value)
    if number < 0:
        raise ValueError("must not be negative")
    if number > most:
        raise ValueError(f"must not be above {most:,}")
    if number != round(number, DECIMALS):
        raise ValueError(f"must have at most {DECIMALS} decimals")
    return f"{(number + 0).normalize():f}"


def _halves(one: InputField, value: object) -> str:
    text = _quantity(one, value)
    if Decimal(text) * 2 % 1:
        raise ValueError("must be a number of halves, such as 1.5")
    return text


def _number(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise ValueError("must be a number such as 1.5")
    if isinstance(value, str) and not NUMBER_PATTERN.fullmatch(value):
        raise ValueError("must be a number such as 1.5")
    number = Decimal(value)
    if not number.is_finite() or abs(number.adjusted()) > 20 or len(number.as_tuple().digits) > 30:
        raise ValueError("must be a number such as 1.5")
    return number


def _boolean(_: InputField, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise ValueError("must be true or false")


def _date(_: InputField, value: object) -> str:
    text = value if isinstance(value, str) else ""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a date such as 2026-03-31") from None
    if day.isoformat() != text:
        raise ValueError("must be a date such as 2026-03-31")
    return text


def _choice(one: InputField, value: object) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text not in one.choices:
        raise ValueError(f"must be one of {', '.join(one.choices)}")
    return text


def _text(_: InputField, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    if len(value) > MAX_CHARACTERS:
        raise ValueError(f"must be at most {MAX_CHARACTERS} characters")
    if not CONTROL.isdisjoint(value):
        raise ValueError("must not contain control characters")
    return value


READERS: Mapping[InputKind, Callable[[InputField, object], StoredValue]] = {
    InputKind.MONEY: _money,
    InputKind.QUANTITY: _quantity,
    InputKind.HALVES: _halves,
    InputKind.PERCENTAGE: _quantity,
    InputKind.BOOLEAN: _boolean,
    InputKind.DATE: _date,
    InputKind.CHOICE: _choice,
    InputKind.TEXT: _text,
}
