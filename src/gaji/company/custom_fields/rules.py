"""What a custom field is, and what its values may be."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gaji.core.constants import one_of
from gaji.core.validation import (
    Attribute,
    Boolean,
    Catalogue,
    Day,
    Faults,
    Integer,
    Kind,
    Record,
    Rule,
    Schema,
    Text,
    when,
    whole_number,
)

MOST_OPTIONS = 500
MOST_NAMED = 100
"""Of unknown fields, and of the characters of their names: a huge body must not make a huge answer."""
MOST_DIGITS = 20
NUMBER = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}(\.[0-9]{{1,{MOST_DIGITS}}})?")


@dataclass(frozen=True)
class CustomField:
    """A field as its definition says."""

    id: int
    name: str
    type: str
    required: bool
    options: tuple[int, ...]
    """The IDs of a dropdown's options."""


@dataclass(frozen=True)
class CustomValues:
    """An object from field IDs to values; the definitions decide what each may be."""

    def read(self, value: object, path: str, faults: Faults) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        faults[path] = "must be an object from field IDs to values"
        return None

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number", "null"]}}


@dataclass(frozen=True)
class Number:
    """A decimal number, kept as the text it was written as."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        if isinstance(value, Decimal) and abs(value.adjusted()) < MOST_DIGITS:
            value = f"{value:f}"
        text = "" if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int) or not NUMBER.fullmatch(text):
            faults[path] = "must be a number such as 12.5"
            return None
        return text

    def schema(self) -> Schema:
        return {"type": "string"}


KINDS: dict[str, Kind] = {
    "text": Text(most=1000),
    "number": Number(),
    "date": Day(),
    "boolean": Boolean(),
    "dropdown": Integer(least=1),
}


def check_values(given: Mapping[str, Any], fields: Mapping[int, CustomField], faults: Faults) -> dict[str, Any]:
    """The values as they are kept: strings, and booleans for boolean fields."""
    kept: dict[str, Any] = {}
    by_key = {str(field.id): field for field in fields.values()}
    unknown = [key for key in given if key not in by_key]
    for key in unknown[:MOST_NAMED]:
        faults[f"custom_fields.{key[:MOST_NAMED]}"] = "there is no such custom field in this client"
    for key, field in by_key.items():
        path, value = f"custom_fields.{key}", given.get(key)
        if value is not None and not (isinstance(value, str) and not value.strip()):
            kept[str(field.id)] = _check_value(field, value, path, faults)
    for field in fields.values():
        if field.required and str(field.id) not in kept:
            faults.setdefault(f"custom_fields.{field.id}", f"{field.name} is required")
    return kept


def _check_value(field: CustomField, value: object, path: str, faults: Faults) -> str | bool | None:
    found = KINDS[field.type].read(value, path, faults)
    if found is None or isinstance(found, bool):
        return found
    if field.type == "dropdown" and found not in field.options:
        faults[path] = f"{found} is not an option of {field.name}"
    return str(found)


@dataclass(frozen=True)
class Options:
    """The options of a dropdown: names, or objects with a name and, for those that exist, their ID."""

    def read(self, value: object, path: str, faults: Faults) -> list[Record] | None:
        if not isinstance(value, list) or len(value) > MOST_OPTIONS:
            faults[path] = f"must be an array of at most {MOST_OPTIONS} options"
            return None
        options = [self._option(one, f"{path}.{number}", faults) for number, one in enumerate(value)]
        for key in ("id", "name"):
            given = [option[key] for option in options if option[key] is not None]
            if len(set(given)) < len(given):
                faults[path] = f"must not have the same {key} twice"
        return options or None  # no options at all are as good as none given

    def _option(self, given: object, path: str, faults: Faults) -> Record:
        if isinstance(given, Mapping):
            option_id = given.get("id")
            if option_id is not None and whole_number(option_id) is None:
                faults[f"{path}.id"] = "must be an integer"
            name = Text(least=1).read(given.get("name"), f"{path}.name", faults)
            return {"id": whole_number(option_id), "name": name}
        return {"id": None, "name": Text(least=1).read(given, path, faults)}

    def schema(self) -> Schema:
        option = {
            "type": "object",
            "required": ["name"],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string", "minLength": 1, "maxLength": 255}},
        }
        return {
            "type": "array",
            "maxItems": MOST_OPTIONS,
            "items": {"anyOf": [option, {"type": "string", "minLength": 1, "maxLength": 255}]},
        }


def among(other_names: Set[str], known_options: Set[int]) -> Rule:
    """That a field does not have the name of another of its client, and only options of its own."""

    def check(record: Record, faults: Faults) -> None:
        if record["name"] and record["name"].lower() in other_names:
            faults.setdefault("name", NAME_TAKEN)
        for number, option in enumerate(record["options"] or ()):
            if option["id"] is not None and option["id"] not in known_options:
                faults.setdefault(f"options.{number}.id", f"there is no option {option['id']} in this field")

    return check


NAME_TAKEN = "is the name of another custom field of this client"

DROPDOWN = when("type", "dropdown")

CUSTOM_FIELD = Catalogue(
    "custom_employee_field",
    (
        Attribute("name", Text(least=1), "Name, unique in the client.", required=True, example="Shirt size"),
        Attribute("type", one_of("custom_field_type"), "What its values are.", required=True, example="dropdown"),
        Attribute("required", Boolean(), "Whether every employee must have a value.", default=False),
        Attribute(
            "options",
            Options(),
            "Its options. To change them, send all that remain with their IDs.",
            required_if=DROPDOWN,
            only_if=DROPDOWN,
            example=[{"id": 1, "name": "Small"}, {"id": 2, "name": "Large"}],
        ),
    ),
)
