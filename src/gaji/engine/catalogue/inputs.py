"""Inputs of calculations: validation, and the format in which they are stored.

Stored as JSON: money and quantities as decimal text, dates and cycles as text, booleans as booleans.

>>> InputField("amount", InputKind.MONEY, "The amount.").parse("1234.5")
'1234.50'
>>> InputField("days", InputKind.QUANTITY, "Days.").parse("2.50")
'2.5'
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from gaji.engine.dates import MAX_DATE, MIN_DATE
from gaji.engine.invalid_input import InputProblem, InvalidInput
from gaji.engine.money import decimal_text, to_cents
from gaji.law.months import Month
from gaji.law.rounding import CENTS_PER_DOLLAR

LEVELS = ("client", "profile", "employee", "payslip")
"""From the most general to the closest."""
MAX_DOLLARS = 100_000_000
"""A larger amount of one payslip item is assumed to be a typing error."""
MAX_QUANTITY = 100_000
MAX_PERCENTAGE = 1000
MAX_CHARACTERS = 255
DAYS_PER_WEEK = 7
MIN_CYCLE_WEEKS = 2
MAX_CYCLE_WEEKS = 6
MAX_DAY_HOURS = 24
WEEK_SEPARATOR = "/"
MAX_EXPONENT = 20
MAX_DIGITS = 30
HALF = Decimal("0.5")
DECIMALS = 3
"""The decimals of quantities and percentages."""
NUMBER_PATTERN = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")
"""The accepted notation of numbers. Python also accepts non-ASCII digits, underscores and spaces."""
CONTROL_CHARACTERS = frozenset(map(chr, (*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))))

StoredValue = str | bool
"""A validated input as it is stored."""


class InputKind(StrEnum):
    """The type of an input's value."""

    MONEY = "money"
    QUANTITY = "quantity"
    HALVES = "halves"
    """A quantity that is a multiple of 0.5."""
    INTEGER = "integer"
    """A quantity without decimals."""
    PERCENTAGE = "percentage"
    BOOLEAN = "boolean"
    DATE = "date"
    MONTH = "month"
    CHOICE = "choice"
    TEXT = "text"
    CYCLE = "cycle"
    """Two to six weeks, each with the hours of its days from Monday to Sunday."""


@dataclass(frozen=True)
class InputField:
    """An input of a calculation type."""

    name: str
    kind: InputKind
    description: str
    choices: tuple[str, ...] = ()
    default: StoredValue | None = None
    levels: tuple[str, ...] = LEVELS
    maximum: int | None = None
    """The largest plausible value. Default: the maximum of the kind."""
    allows_zero: bool = True
    sets_tax_year: bool = False
    """Whether this date can determine the item's year of income."""

    def parse(self, value: object) -> StoredValue:
        """Validate a value and return it as it is stored. Raises InvalidInput."""
        return PARSERS[self.kind](self, value)

    def to_json(self) -> dict[str, Any]:
        """Describe the input for the discovery of calculation types."""
        description: dict[str, Any] = {
            "name": self.name,
            "type": self.kind.value,
            "required": False,
            "description": self.description,
            "levels": list(self.levels),
        }
        if self.choices:
            description["allowed_values"] = list(self.choices)
        if self.default is not None:
            description["default"] = self.default
        return description


def _parse_money(field: InputField, value: object) -> str:
    maximum = field.maximum or MAX_DOLLARS
    if isinstance(value, str) and not NUMBER_PATTERN.fullmatch(value):
        raise InvalidInput(InputProblem.NOT_AN_AMOUNT)
    amount = to_cents(value)  # type: ignore[arg-type]  # other types raise InvalidInput
    if amount < 0:
        raise InvalidInput(InputProblem.NEGATIVE)
    if amount > maximum * CENTS_PER_DOLLAR:
        raise InvalidInput(InputProblem.TOO_LARGE, maximum=maximum)
    return decimal_text(amount)


def _parse_quantity(field: InputField, value: object) -> str:
    maximum = field.maximum or (MAX_PERCENTAGE if field.kind == InputKind.PERCENTAGE else MAX_QUANTITY)
    number = _parse_number(value)
    if number < 0:
        raise InvalidInput(InputProblem.NEGATIVE)
    if not number and not field.allows_zero:
        raise InvalidInput(InputProblem.NOT_POSITIVE)
    if number > maximum:
        raise InvalidInput(InputProblem.TOO_LARGE, maximum=maximum)
    if number != round(number, DECIMALS):
        raise InvalidInput(InputProblem.TOO_MANY_DECIMALS, maximum=DECIMALS)
    return f"{(number + 0).normalize():f}"


def _parse_halves(field: InputField, value: object) -> str:
    text = _parse_quantity(field, value)
    if Decimal(text) % HALF:
        raise InvalidInput(InputProblem.NOT_A_MULTIPLE, step=HALF)
    return text


def _parse_integer(field: InputField, value: object) -> str:
    text = _parse_quantity(field, value)
    if Decimal(text) % 1:
        raise InvalidInput(InputProblem.NOT_AN_INTEGER)
    return text


def _parse_number(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise InvalidInput(InputProblem.NOT_A_NUMBER)
    if isinstance(value, str) and not NUMBER_PATTERN.fullmatch(value):
        raise InvalidInput(InputProblem.NOT_A_NUMBER)
    number = Decimal(value)
    if not number.is_finite() or abs(number.adjusted()) > MAX_EXPONENT or len(number.as_tuple().digits) > MAX_DIGITS:
        raise InvalidInput(InputProblem.NOT_A_NUMBER)
    return number


def _parse_boolean(_: InputField, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise InvalidInput(InputProblem.NOT_A_BOOLEAN)


def _parse_date(_: InputField, value: object) -> str:
    text = value if isinstance(value, str) else ""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(InputProblem.NOT_A_DATE) from None
    if day.isoformat() != text:
        raise InvalidInput(InputProblem.NOT_A_DATE)
    if not MIN_DATE <= day <= MAX_DATE:
        raise InvalidInput(InputProblem.OUT_OF_RANGE, minimum=MIN_DATE, maximum=MAX_DATE)
    return text


def _parse_month(_: InputField, value: object) -> str:
    try:
        return str(Month.parse(value if isinstance(value, str) else ""))
    except ValueError:
        raise InvalidInput(InputProblem.NOT_A_MONTH) from None


def _parse_choice(field: InputField, value: object) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text not in field.choices:
        raise InvalidInput(InputProblem.NOT_ALLOWED, allowed=field.choices)
    return text


def _parse_text(_: InputField, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(InputProblem.NOT_A_STRING)
    if len(value) > MAX_CHARACTERS:
        raise InvalidInput(InputProblem.TOO_LONG, max_length=MAX_CHARACTERS)
    if not CONTROL_CHARACTERS.isdisjoint(value):
        raise InvalidInput(InputProblem.CONTROL_CHARACTER)
    return value


def _parse_cycle(field: InputField, value: object) -> str:
    """Accept text, or an array of weeks with the hours of seven days each.

    >>> _parse_cycle(InputField("cycle", InputKind.CYCLE, ""), [[8, 8, 8, 8, 8, 0, 0], [8, 8, 8, 8, "8.0", 4, 0]])
    '8 8 8 8 8 0 0 / 8 8 8 8 8 4 0'
    """
    problem = InvalidInput(InputProblem.NOT_A_CYCLE)
    if isinstance(value, str) and len(value) <= MAX_CHARACTERS:
        value = [week.split() for week in value.split(WEEK_SEPARATOR)]
    if not isinstance(value, list) or not MIN_CYCLE_WEEKS <= len(value) <= MAX_CYCLE_WEEKS:
        raise problem
    if not all(isinstance(week, list) and len(week) == DAYS_PER_WEEK for week in value):
        raise problem
    hours_field = replace(field, maximum=MAX_DAY_HOURS)
    try:
        weeks = [[_parse_quantity(hours_field, hours) for hours in week] for week in value]
    except InvalidInput:
        raise problem from None
    if not any(hours != "0" for week in weeks for hours in week):
        raise problem
    return f" {WEEK_SEPARATOR} ".join(" ".join(week) for week in weeks)


def cycle_hours(cycle: str) -> list[list[Decimal]]:
    """Return the hours of a stored cycle, by week and day."""
    return [[Decimal(hours) for hours in week.split()] for week in cycle.split(WEEK_SEPARATOR)]


PARSERS: Mapping[InputKind, Callable[[InputField, object], StoredValue]] = {
    InputKind.MONEY: _parse_money,
    InputKind.QUANTITY: _parse_quantity,
    InputKind.HALVES: _parse_halves,
    InputKind.INTEGER: _parse_integer,
    InputKind.PERCENTAGE: _parse_quantity,
    InputKind.BOOLEAN: _parse_boolean,
    InputKind.DATE: _parse_date,
    InputKind.MONTH: _parse_month,
    InputKind.CHOICE: _parse_choice,
    InputKind.TEXT: _parse_text,
    InputKind.CYCLE: _parse_cycle,
}
