"""Kinds of values that only custom items have."""

from dataclasses import dataclass

from gaji.core.validation import Faults, Schema, whole_number
from gaji.engine.catalogue import Input
from gaji.engine.money import cents

MOST_ITEMS = 50


@dataclass(frozen=True)
class Number:
    """A number as the catalogue of calculations reads it: money or a percentage, kept as decimal text."""

    input: Input

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        try:
            return str(self.input.read(value))
        except ValueError as error:
            faults[path] = str(error)
            return None

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string", "pattern": r"^\d{1,9}(\.\d{1,3})?$"}, {"type": "number", "minimum": 0}]}


@dataclass(frozen=True)
class Items:
    """Names of items, at least one; custom ones by their numbers."""

    def read(self, value: object, path: str, faults: Faults) -> list[str] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_ITEMS:
            faults[path] = f"must be an array of 1 to {MOST_ITEMS} items"
            return None
        names = [_name(one) for one in value]
        for number, name in enumerate(names):
            if not name:
                faults[f"{path}.{number}"] = "must be the name of an item, or the number of a custom one"
        if len(set(names)) < len(names):
            faults.setdefault(path, "must not have the same item twice")
        return names

    def schema(self) -> Schema:
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

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        if isinstance(value, str):
            return value
        faults[path] = "must be a string"
        return None

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1, "maxLength": 1000}


def amount_cents(text: str | None) -> int | None:
    """A kept amount in cents."""
    return None if text is None else cents(text)


def _name(value: object) -> str:
    number = whole_number(value)
    if number is not None:
        return str(number)
    return value if isinstance(value, str) and len(value) <= 60 else ""
