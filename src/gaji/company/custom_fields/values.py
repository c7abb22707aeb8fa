"""Values of custom fields: what an employee can have in each field."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from gaji.core.error_codes import NOT_A_NUMBER, NOT_AN_OBJECT, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, DateType, FieldType, Integer, JsonSchema, Text

MAX_UNKNOWN_FIELDS = 100
"""Further unknown fields are not reported, to limit the size of the response to a large body."""
MAX_KEY_LENGTH = 100
MAX_DIGITS = 20
NUMBER = re.compile(rf"-?[0-9]{{1,{MAX_DIGITS}}}(\.[0-9]{{1,{MAX_DIGITS}}})?")

CUSTOM_FIELD_REQUIRED = ErrorCode("custom_field_required", "{name} is required")
NOT_AN_OPTION = ErrorCode("not_an_option", "{option} is not an option of {name}")


@dataclass(frozen=True)
class CustomField:
    """The definition of a custom field."""

    id: int
    name: str
    type: str
    required: bool
    options: Mapping[str, str]
    """Names of a dropdown's options by option ID."""

    def display_value(self, values: Mapping[str, str | bool]) -> str | bool | None:
        """Return the employee's value of this field as people read it, with the name of a dropdown's option."""
        value = values.get(str(self.id))
        return self.options.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class CustomValues:
    """An object of values by field ID. `parse_values` checks the values against the definitions."""

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, NOT_AN_OBJECT)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number", "null"]}}


@dataclass(frozen=True)
class DecimalText:
    """A decimal number, stored as text."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, Decimal) and abs(value.adjusted()) < MAX_DIGITS:
            value = f"{value:f}"
        text = "" if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int) or not NUMBER.fullmatch(text):
            errors.add(path, NOT_A_NUMBER)
            return None
        return text

    def json_schema(self) -> JsonSchema:
        return {"type": "string"}


FIELD_TYPES: dict[str, FieldType] = {
    "text": Text(max_length=1000),
    "number": DecimalText(),
    "date": DateType(),
    "boolean": Boolean(),
    "dropdown": Integer(minimum=1),
}


def parse_values(
    values: Mapping[str, Any], fields: Mapping[int, CustomField], errors: Errors
) -> dict[str, str | bool | None]:
    """Return the values as they are stored: strings, and booleans for boolean fields."""
    fields_by_key = {str(field.id): field for field in fields.values()}
    unknown = [key for key in values if key not in fields_by_key]
    for key in unknown[:MAX_UNKNOWN_FIELDS]:
        key = key[:MAX_KEY_LENGTH]
        errors.add(f"custom_fields.{key}", UNKNOWN_ID, resource="custom field", id=key)
    parsed: dict[str, str | bool | None] = {}
    for key, field in fields_by_key.items():
        path, value = f"custom_fields.{key}", values.get(key)
        if value is not None and not (isinstance(value, str) and not value.strip()):
            parsed[key] = _parse_value(field, value, path, errors)
        elif field.required:
            errors.add_if_absent(path, CUSTOM_FIELD_REQUIRED, name=field.name)
    return parsed


def parse_stored_dates(
    values: Mapping[str, str | bool], fields: Mapping[int, CustomField]
) -> dict[str, str | bool | date]:
    """Return stored values with dates parsed. `parse_values` accepts them even if they are outside today's bounds."""
    date_keys = {str(field.id) for field in fields.values() if field.type == "date"}
    return {
        key: date.fromisoformat(value) if key in date_keys and isinstance(value, str) else value
        for key, value in values.items()
    }


def _parse_value(field: CustomField, value: object, path: str, errors: Errors) -> str | bool | None:
    parsed = FIELD_TYPES[field.type].parse(value, path, errors)
    if parsed is None or isinstance(parsed, bool):
        return parsed
    text = str(parsed)
    if field.type == "dropdown" and text not in field.options:
        errors.add(path, NOT_AN_OPTION, option=text, name=field.name)
    return text
