"""Days and hours of leave: thousandths inside, numbers outside.

>>> shown(2_000), shown(-1_500), shown(333)
(2, -1.5, 0.333)
"""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import JsonSchema
from gaji.law.quantities import MILLI, format_millis

MOST_DAYS = 1000
MOST_CHARACTERS = 20
DECIMALS = 3


@dataclass(frozen=True)
class Thousandths:
    """A number of days or hours, also given as a numeric string; kept in thousandths."""

    unit: str
    least: int
    most: int
    """Thousandths, as the least."""

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        number_given = _decimal(value)
        if number_given is None:
            errors.add(path, INVALID, reason=f"must be a number of {self.unit} such as 4.5")
        elif not self.least <= number_given * MILLI <= self.most:
            errors.add(path, INVALID, reason=f"must be from {format_millis(self.least)} to {format_millis(self.most)}")
        elif number_given != round(number_given, DECIMALS):
            errors.add(path, INVALID, reason=f"must have at most {DECIMALS} decimals")
        else:
            return int(number_given * MILLI)
        return None

    def json_schema(self) -> JsonSchema:
        limits = {"minimum": float(shown(self.least)), "maximum": float(shown(self.most))}
        return {"anyOf": [{"type": "number", **limits}, {"type": "string", "pattern": r"^-?\d{1,9}(\.\d{1,3})?$"}]}


def shown(thousandths: int) -> int | float:
    """A number as the API shows it: a thousandth is written exactly by the float that is nearest to it."""
    return thousandths / MILLI if thousandths % MILLI else thousandths // MILLI


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    text = str(value)
    if len(text) > MOST_CHARACTERS or (isinstance(value, str) and not set(value) <= set("-.0123456789")):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
