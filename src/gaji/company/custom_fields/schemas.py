"""Request and response schemas of custom fields."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

import msgspec

from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.error_codes import NOT_AN_ARRAY, NOT_AN_INTEGER, TOO_MANY_ITEMS
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, JsonSchema, Text, parse_integer
from gaji.core.validation import Attribute, Record, Rule, Schema, when

MAX_OPTIONS = 500

DUPLICATE_OPTION = ErrorCode("duplicate_option", "must not have the same {key} twice")
UNKNOWN_OPTION = ErrorCode("unknown_option", "option {id} does not exist in this field")


class FieldOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a dropdown. A new option has no ID yet."""

    id: int | None
    name: str


class CustomFieldInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a custom field."""

    name: str
    type: str
    required: bool
    options: list[FieldOption] | None


@dataclass(frozen=True)
class Options:
    """The options of a dropdown: names, or objects with a name and the ID of an existing option."""

    def parse(self, value: object, path: str, errors: Errors) -> list[FieldOption] | None:
        if not isinstance(value, list):
            errors.add(path, NOT_AN_ARRAY)
            return None
        if len(value) > MAX_OPTIONS:
            errors.add(path, TOO_MANY_ITEMS, maximum=MAX_OPTIONS)
            return None
        options = [self._parse_option(item, f"{path}.{index}", errors) for index, item in enumerate(value)]
        ids = [option.id for option in options if option.id is not None]
        names = [option.name for option in options if option.name]
        for key, values in (("id", ids), ("name", names)):
            if len(set(values)) < len(values):
                errors.add(path, DUPLICATE_OPTION, key=key)
        return options or None  # an empty array counts as absent

    def _parse_option(self, item: object, path: str, errors: Errors) -> FieldOption:
        option_id, name, name_path = None, item, path
        if isinstance(item, Mapping):
            option_id, name, name_path = parse_integer(item.get("id")), item.get("name"), f"{path}.name"
            if item.get("id") is not None and option_id is None:
                errors.add(f"{path}.id", NOT_AN_INTEGER)
        return FieldOption(id=option_id, name=Text(min_length=1).parse(name, name_path, errors) or "")

    def json_schema(self) -> JsonSchema:
        option = {
            "type": "object",
            "required": ["name"],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string", "minLength": 1, "maxLength": 255}},
        }
        return {
            "type": "array",
            "maxItems": MAX_OPTIONS,
            "items": {"anyOf": [option, {"type": "string", "minLength": 1, "maxLength": 255}]},
        }


def existing_options_rule(option_ids: Set[int]) -> Rule:
    """Return the check that every option with an ID is one of the field's options."""

    def check(record: Record, errors: Errors) -> None:
        for index, option in enumerate(record["options"] or ()):
            if option.id is not None and option.id not in option_ids:
                errors.add_if_absent(f"options.{index}.id", UNKNOWN_OPTION, id=option.id)

    return check


DROPDOWN = when("type", "dropdown")

CUSTOM_FIELD = Schema(
    "custom_employee_field",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Shirt size"),
        Attribute("type", one_of("custom_field_type"), "Type of the values.", required=True, example="dropdown"),
        Attribute("required", Boolean(), "Whether every employee must have a value.", default=False),
        Attribute(
            "options",
            Options(),
            "Options of a dropdown. An update replaces them: send those that remain with their IDs.",
            required_if=DROPDOWN,
            only_if=DROPDOWN,
            example=[{"name": "Small"}, {"name": "Large"}],
        ),
    ),
    struct=CustomFieldInput,
)

OPTION_SCHEMA: JsonSchema = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": json_schemas.IDENTIFIER, "name": {"type": "string"}},
}
CUSTOM_FIELD_SCHEMA: JsonSchema = json_schemas.resource_schema(CUSTOM_FIELD, "CustomEmployeeField")
CUSTOM_FIELD_SCHEMA["properties"]["options"] = {"type": "array", "items": OPTION_SCHEMA}
CUSTOM_FIELD_EXAMPLE = json_schemas.resource_example(CUSTOM_FIELD, id=12) | {
    "client_id": 1,
    "options": [{"id": 1, "name": "Small"}, {"id": 2, "name": "Large"}],
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
