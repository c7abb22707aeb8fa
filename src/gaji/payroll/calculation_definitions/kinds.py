"""Kinds of values that only custom items have."""

from dataclasses import dataclass

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import JsonSchema, parse_integer
from gaji.engine.catalogue import InputField
from gaji.engine.money import to_cents

MOST_ITEMS = 50


@dataclass(frozen=True)
class Number:
    """A number as the catalogue of calculations reads it: money or a percentage, kept as decimal text."""

    input: InputField

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        try:
            return str(self.input.parse(value))
        except ValueError as error:
            errors.add(path, INVALID, reason=str(error))
            return None

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "string", "pattern": r"^\d{1,9}(\.\d{1,3})?$"}, {"type": "number", "minimum": 0}]}


@dataclass(frozen=True)
class Items:
    """Names of items, at least one; custom ones by their numbers."""

    def parse(self, value: object, path: str, errors: Errors) -> list[str] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_ITEMS:
            errors.add(path, INVALID, reason=f"must be an array of 1 to {MOST_ITEMS} items")
            return None
        names = [_name(one) for one in value]
        for number, name in enumerate(names):
            if not name:
                errors.add(
                    f"{path}.{number}", INVALID, reason="must be the name of an item, or the number of a custom one"
                )
        if len(set(names)) < len(names):
            errors.setdefault(path, "must not have the same item twice")
        return names

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_ITEMS,
            "uniqueItems": True,
            "items": {"type": ["string", "integer"]},
        }


@dataclass(frozen=True)
class FormulaText:
    """A formula; whether it can be read depends on the items of the client."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, str):
            return value
        errors.add(path, INVALID, reason="must be a string")
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "minLength": 1, "maxLength": 1000}


def amount_cents(text: str | None) -> int | None:
    """A kept amount in cents."""
    return None if text is None else to_cents(text)


def _name(value: object) -> str:
    number = parse_integer(value)
    if number is not None:
        return str(number)
    return value if isinstance(value, str) and len(value) <= 60 else ""
