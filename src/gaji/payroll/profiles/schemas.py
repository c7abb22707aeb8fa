"""Request and response schemas of profiles and profile mappings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import Errors
from gaji.core.field_types import DateType, Integer, JsonSchema, Text
from gaji.core.validation import Attribute, Schema
from gaji.payroll.calculations.inheritance import InputValues


class ProfileInput(msgspec.Struct, frozen=True, kw_only=True):
    """A profile to create or update."""

    name: str
    calculations: dict[str, InputValues]
    """Inputs by calculation."""
    valid_from: date | None


class ProfileMappingInput(msgspec.Struct, frozen=True, kw_only=True):
    """A mapping of a profile to an employee."""

    profile_id: int
    calculations: dict[str, bool]
    """Whether each calculation applies. Calculations that are not listed apply."""


@dataclass(frozen=True)
class ObjectByCalculation:
    """An object with calculations for keys. The values are validated later, by the client's catalogue."""

    values_schema: JsonSchema

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, NOT_AN_OBJECT)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.values_schema}


INPUTS: JsonSchema = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}
SWITCH: JsonSchema = {"type": ["boolean", "null"]}

PROFILE = Schema(
    "profile",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Drivers"),
        Attribute(
            "calculations",
            ObjectByCalculation(INPUTS),
            "The inputs of each calculation; null removes a calculation.",
            example={"transport_allowance": {"amount": "150.00"}},
        ),
        Attribute(
            "valid_from",
            DateType(),
            "The first day of changed calculations. Default: the start of its employees' earliest draft, or always "
            "if none of them has a finalised payslip.",
        ),
    ),
    struct=ProfileInput,
)

PROFILE_MAPPING = Schema(
    "profile_mapping",
    (
        Attribute("profile_id", Integer(minimum=1), "The profile.", required=True, example=3),
        Attribute(
            "calculations",
            ObjectByCalculation(SWITCH),
            "Whether each calculation of the profile applies. Default: `true`.",
            example={"transport_allowance": True},
        ),
    ),
    read_only=("id", "employee_id", "client_id", "created_at", "updated_at"),
    struct=ProfileMappingInput,
)

TIMESTAMPS_EXAMPLE = {
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
PROFILE_ELEMENT: JsonSchema = json_schemas.resource_schema(PROFILE, "Profile")
del PROFILE_ELEMENT["properties"]["valid_from"]
PROFILE_ELEMENT["required"].remove("valid_from")
PROFILE_ELEMENT["properties"]["calculations"] = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": ["string", "boolean"]}},
}
PROFILE_EXAMPLE = json_schemas.resource_example(PROFILE, id=3, client_id=1) | TIMESTAMPS_EXAMPLE
del PROFILE_EXAMPLE["valid_from"]
MAPPING_ELEMENT: JsonSchema = json_schemas.resource_schema(PROFILE_MAPPING, "ProfileMapping")
MAPPING_ELEMENT["properties"] |= {
    "employee_id": json_schemas.IDENTIFIER,
    "calculations": {"type": "object", "additionalProperties": {"type": "boolean"}},
}
MAPPING_ELEMENT["required"].append("employee_id")
MAPPING_EXAMPLE = json_schemas.resource_example(PROFILE_MAPPING, id=8, client_id=1, employee_id=4) | TIMESTAMPS_EXAMPLE
