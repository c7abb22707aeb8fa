"""Days and hours of leave: integer thousandths inside, numbers outside.

>>> format_thousandths(2_000), format_thousandths(-1_500), format_thousandths(333)
(2, -1.5, 0.333)
"""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from gaji.core.error_codes import OUT_OF_RANGE, TOO_MANY_DECIMALS
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema
from gaji.law.quantities import MILLI, format_millis

MAX_DAYS = 1000
MAX_CHARACTERS = 20
MAX_DECIMALS = 3

NOT_A_QUANTITY = ErrorCode("not_a_quantity", "must be a number of {unit} such as 4.5")


@dataclass(frozen=True)
class Thousandths:
    """A number of days or hours, in thousandths. Numeric strings are accepted."""

    unit: str
    minimum: int
    maximum: int

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        number = _decimal(value)
        if number is None:
            errors.add(path, NOT_A_QUANTITY, unit=self.unit)
        elif not self.minimum <= number * MILLI <= self.maximum:
            minimum, maximum = format_millis(self.minimum), format_millis(self.maximum)
            errors.add(path, OUT_OF_RANGE, minimum=minimum, maximum=maximum)
        elif number != round(number, MAX_DECIMALS):
            errors.add(path, TOO_MANY_DECIMALS, maximum=MAX_DECIMALS)
        else:
            return int(number * MILLI)
        return None

    def json_schema(self) -> JsonSchema:
        limits = {
            "minimum": float(format_thousandths(self.minimum)),
            "maximum": float(format_thousandths(self.maximum)),
        }
        return {"anyOf": [{"type": "number", **limits}, {"type": "string", "pattern": r"^-?\d{1,9}(\.\d{1,3})?$"}]}


def format_thousandths(thousandths: int) -> int | float:
    """Return thousandths as the API shows them. The nearest float prints a thousandth exactly."""
    return thousandths / MILLI if thousandths % MILLI else thousandths // MILLI


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    text = str(value)
    if len(text) > MAX_CHARACTERS or (isinstance(value, str) and not set(value) <= set("-.0123456789")):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
