"""What a custom field is, and what its values may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from gaji.attributes import (
    Attribute,
    Boolean,
    Catalogue,
    Day,
    Faults,
    Integer,
    Kind,
    Record,
    Schema,
    Text,
    whole_number,
)
from gaji.constants.lists import one_of

MOST_OPTIONS = 500


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
        try:
            number = Decimal(value) if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else None
        except InvalidOperation:
            number = None
        if number is None or not number.is_finite() or len(str(value)) > 40:
            faults[path] = "must be a number"
            return None
        return str(value)

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
    for key, value in given.items():
        path = f"custom_fields.{key}"
        field = fields.get(whole_number(key) or 0)
        if field is None:
            faults[path] = "there is no such custom field in this client"
        elif value is not None and value != "":
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
        names = [option["name"] for option in options if option["name"]]
        if len(set(names)) < len(names):
            faults[path] = "must not name an option twice"
        return options

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


def check_options(record: Record, faults: Faults) -> None:
    """A dropdown has options, and nothing else has."""
    if record["type"] == "dropdown" and not record["options"]:
        faults.setdefault("options", "is required when type is dropdown")
    elif record["type"] not in (None, "dropdown") and record["options"]:
        faults.setdefault("options", "is only possible when type is dropdown")


CUSTOM_FIELD = Catalogue(
    "custom_employee_field",
    (
        Attribute("name", Text(least=1), "Name, unique in the client.", required=True, example="Shirt size"),
        Attribute("type", one_of("custom_field_type"), "What its values are.", required=True, example="dropdown"),
        Attribute("required", Boolean(), "Whether every employee must have a value.", default=False),
        Attribute(
            "options",
            Options(),
            "Of a dropdown: its options. To change them, send all that remain with their IDs.",
            example=[{"id": 1, "name": "Small"}, {"id": 2, "name": "Large"}],
        ),
    ),
    rules=(check_options,),
)
