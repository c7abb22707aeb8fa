"""What a custom field is, and what its values may be."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import (
    Attribute,
    Boolean,
    DateType,
    FieldType,
    Integer,
    JsonSchema,
    Record,
    Rule,
    Schema,
    Text,
    parse_integer,
    when,
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

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, INVALID, reason="must be an object from field IDs to values")
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number", "null"]}}


@dataclass(frozen=True)
class Number:
    """A decimal number, kept as the text it was written as."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, Decimal) and abs(value.adjusted()) < MOST_DIGITS:
            value = f"{value:f}"
        text = "" if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int) or not NUMBER.fullmatch(text):
            errors.add(path, INVALID, reason="must be a number such as 12.5")
            return None
        return text

    def json_schema(self) -> JsonSchema:
        return {"type": "string"}


KINDS: dict[str, FieldType] = {
    "text": Text(max_length=1000),
    "number": Number(),
    "date": DateType(),
    "boolean": Boolean(),
    "dropdown": Integer(minimum=1),
}


def check_values(given: Mapping[str, Any], fields: Mapping[int, CustomField], errors: Errors) -> dict[str, Any]:
    """The values as they are kept: strings, and booleans for boolean fields."""
    kept: dict[str, Any] = {}
    by_key = {str(field.id): field for field in fields.values()}
    unknown = [key for key in given if key not in by_key]
    for key in unknown[:MOST_NAMED]:
        errors.add(f"custom_fields.{key[:MOST_NAMED]}", INVALID, reason="there is no such custom field in this client")
    for key, field in by_key.items():
        path, value = f"custom_fields.{key}", given.get(key)
        if value is not None and not (isinstance(value, str) and not value.strip()):
            kept[str(field.id)] = _check_value(field, value, path, errors)
    for field in fields.values():
        if field.required and str(field.id) not in kept:
            errors.setdefault(f"custom_fields.{field.id}", f"{field.name} is required")
    return kept


def _check_value(field: CustomField, value: object, path: str, errors: Errors) -> str | bool | None:
    found = KINDS[field.type].parse(value, path, errors)
    if found is None or isinstance(found, bool):
        return found
    if field.type == "dropdown" and found not in field.options:
        errors.add(path, INVALID, reason=f"{found} is not an option of {field.name}")
    return str(found)


@dataclass(frozen=True)
class Options:
    """The options of a dropdown: names, or objects with a name and, for those that exist, their ID."""

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or len(value) > MOST_OPTIONS:
            errors.add(path, INVALID, reason=f"must be an array of at most {MOST_OPTIONS} options")
            return None
        options = [self._option(one, f"{path}.{number}", errors) for number, one in enumerate(value)]
        for key in ("id", "name"):
            given = [option[key] for option in options if option[key] is not None]
            if len(set(given)) < len(given):
                errors.add(path, INVALID, reason=f"must not have the same {key} twice")
        return options or None  # no options at all are as good as none given

    def _option(self, given: object, path: str, errors: Errors) -> Record:
        if isinstance(given, Mapping):
            option_id = given.get("id")
            if option_id is not None and parse_integer(option_id) is None:
                errors.add(f"{path}.id", INVALID, reason="must be an integer")
            name = Text(min_length=1).read(given.get("name"), f"{path}.name", errors)
            return {"id": parse_integer(option_id), "name": name}
        return {"id": None, "name": Text(min_length=1).read(given, path, errors)}

    def json_schema(self) -> JsonSchema:
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

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and record["name"].lower() in other_names:
            errors.setdefault("name", NAME_TAKEN)
        for number, option in enumerate(record["options"] or ()):
            if option["id"] is not None and option["id"] not in known_options:
                errors.setdefault(f"options.{number}.id", f"there is no option {option['id']} in this field")

    return check


NAME_TAKEN = "is the name of another custom field of this client"

DROPDOWN = when("type", "dropdown")

CUSTOM_FIELD = Schema(
    "custom_employee_field",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Shirt size"),
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
