"""Amounts of money and other decimal numbers in requests."""

import re
from dataclasses import dataclass
from decimal import Decimal

from gaji.core.error_codes import NEGATIVE, NOT_A_NUMBER, NOT_AN_AMOUNT, TOO_LARGE, TOO_MANY_DECIMALS
from gaji.core.errors import Errors
from gaji.core.field_types import JsonSchema
from gaji.core.validation import add_input_error
from gaji.engine.invalid_input import InvalidInput
from gaji.engine.money import to_cents

AMOUNT_INPUT: JsonSchema = {"anyOf": [{"type": "string", "pattern": r"^\d{1,10}(\.\d{1,2})?$"}, {"type": "number"}]}
AMOUNT_TEXT = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
MAX_CHARACTERS = 30


@dataclass(frozen=True)
class NonNegativeAmount:
    """A non-negative amount in dollars, stored in cents."""

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            errors.add(path, NOT_AN_AMOUNT)
            return None
        if isinstance(value, str) and not AMOUNT_TEXT.fullmatch(value):
            errors.add(path, NOT_AN_AMOUNT)
            return None
        try:
            amount_cents = to_cents(value)
        except InvalidInput as error:
            add_input_error(errors, path, error)
            return None
        if amount_cents < 0:
            errors.add(path, NEGATIVE)
            return None
        return amount_cents

    def json_schema(self) -> JsonSchema:
        return dict(AMOUNT_INPUT)


@dataclass(frozen=True)
class DecimalNumber:
    """A decimal number that is not negative, stored as text without trailing zeros."""

    maximum: int
    decimals: int

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            errors.add(path, NOT_A_NUMBER)
            return None
        if isinstance(value, str) and not (len(value) <= MAX_CHARACTERS and AMOUNT_TEXT.fullmatch(value)):
            errors.add(path, NOT_A_NUMBER)
            return None
        return self._checked(Decimal(value), path, errors)

    def _checked(self, number: Decimal, path: str, errors: Errors) -> str | None:
        if number < 0:
            errors.add(path, NEGATIVE)
        elif number > self.maximum:
            errors.add(path, TOO_LARGE, maximum=self.maximum)
        elif number != round(number, self.decimals):
            errors.add(path, TOO_MANY_DECIMALS, maximum=self.decimals)
        else:
            return f"{abs(number).normalize():f}"
        return None

    def json_schema(self) -> JsonSchema:
        pattern = rf"^\d{{1,{len(str(self.maximum))}}}(\.\d{{1,{self.decimals}}})?$"
        return {"anyOf": [{"type": "string", "pattern": pattern}, {"type": "number"}]}
