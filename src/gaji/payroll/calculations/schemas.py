"""Request and response schemas of calculations and inherited calculations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import ErrorCode, Errors
from gaji.core.external_references import METADATA_SCHEMA, REFERENCES
from gaji.core.field_types import CONTROL_CHARACTERS, DATE_SCHEMA, Boolean, DateType, JsonSchema, parse_integer
from gaji.core.validation import Attribute, Schema, add_input_error
from gaji.engine.catalogue import InputField, InputKind
from gaji.engine.invalid_input import InvalidInput
from gaji.payroll.calculations.inheritance import inputs_json
from gaji.payroll.calculations.regular_hours.schedule import DEFAULT_WEEK

MULTIPLIER_FIELD = InputField("multiplier", InputKind.QUANTITY, "Factor for the amount.", maximum=100)

NOT_A_CALCULATION_NAME = ErrorCode(
    "not_a_calculation_name", "must be the name of a calculation, or the number of a custom item"
)


class CalculationInput(msgspec.Struct, frozen=True, kw_only=True):
    """A calculation to create or update. The inputs are validated by its type."""

    calc_type: str
    calculation_details: Mapping[str, Any] | None
    effective_date: date | None
    valid_from: date | None
    skip: bool | None
    deleted: bool | None
    multiplier: str | None
    external_id: str | None = None
    metadata: dict[str, str] = {}


class InheritedCalculationInput(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an inherited calculation with effect from a day."""

    calc_type: str
    calculation_details: Mapping[str, Any]
    effective_date: date | None


@dataclass(frozen=True)
class SavedCalculation:
    """The result of a write."""

    id: int
    message: str
    warnings: Mapping[str, str]


@dataclass(frozen=True)
class CalculationName:
    """The name of a system type, or the number of a custom item."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, str) and not CONTROL_CHARACTERS.search(value):
            return value
        number = parse_integer(value)
        if number is None:
            errors.add(path, NOT_A_CALCULATION_NAME)
            return None
        return str(number)

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "string"}, {"type": "integer"}]}


WEEK: JsonSchema = {"type": ["array", "string"], "items": {"type": ["number", "string"]}}
INPUT_VALUE: JsonSchema = {"type": ["string", "number", "boolean", "null", "array"], "items": WEEK}
"""Arrays are the weeks of a cycle of regular hours."""


@dataclass(frozen=True)
class InputObject:
    """An object of inputs. The type of the calculation decides which are valid."""

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, NOT_AN_OBJECT)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": INPUT_VALUE}


@dataclass(frozen=True)
class MultiplierValue:
    """A factor for the amount. The value is a decimal string."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        try:
            return str(MULTIPLIER_FIELD.parse(value))
        except InvalidInput as error:
            add_input_error(errors, path, error)
            return None

    def json_schema(self) -> JsonSchema:
        return {"type": "number", "minimum": 0, "maximum": MULTIPLIER_FIELD.maximum}


CALC_TYPE = Attribute(
    "calc_type",
    CalculationName(),
    "The type: a system name, or the number of a custom item. See calculation_types.",
    required=True,
    example="basic_salary",
)
DETAILS = Attribute(
    "calculation_details",
    InputObject(),
    "The inputs to change; null clears an input.",
    example={"pay_type": "monthly", "fixed_amount": "4200.00"},
)
EFFECTIVE_DATE = Attribute(
    "effective_date",
    DateType(),
    "The first day of the change. Only for inherited calculations. Required if the employee has finalised payslips.",
)

VALID_FROM = Attribute(
    "valid_from",
    DateType(),
    "The first day of the change, for employees and profiles. Default: the start of the current draft, or always if no "
    "payslip is finalised.",
)

CALCULATION = Schema(
    "calculation",
    (
        CALC_TYPE,
        DETAILS,
        EFFECTIVE_DATE,
        VALID_FROM,
        Attribute("skip", Boolean(), "Whether payslips leave the item out; null inherits from the level above."),
        Attribute("deleted", Boolean(), "On a payslip: whether the item is removed with its inputs."),
        Attribute("multiplier", MultiplierValue(), "Factor for the amount; null inherits from the level above."),
        *REFERENCES,
    ),
    read_only=(
        "id",
        "employee_id",
        "payslip_id",
        "client_id",
        "calculation_id",
        "calculation_def_id",
        "profile_id",
        "account_components",
        "account_outputs",
        "input_formulas",
        "overrides",
        "outputs",
        "skip_rule",
        "created_at",
        "updated_at",
        "system_type",
    ),
    struct=CalculationInput,
    title="CalculationEntry",
)

INHERITED = Schema(
    "inherited_calculation",
    (
        CALC_TYPE,
        Attribute(
            "calculation_details", InputObject(), DETAILS.description, required=True, example={"schedule": "fixed"}
        ),
        EFFECTIVE_DATE,
    ),
    read_only=(
        "id",
        "profile_id",
        "employee_id",
        "short_name",
        "calculation_def_id",
        "created_at",
        "updated_at",
        "inputs",
        "inputs_history",
    ),
    struct=InheritedCalculationInput,
)

IDENTIFIER_OR_NULL: JsonSchema = {"type": ["integer", "null"]}
INPUTS: JsonSchema = {"type": "object", "additionalProperties": {"type": "string"}}
CHANGES: JsonSchema = {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
AMOUNTS: JsonSchema = {"type": "object", "additionalProperties": {"type": "string"}}

_CALCULATION: JsonSchema = {
    "id": {**IDENTIFIER_OR_NULL, "description": "Null if it is inherited from a level above."},
    "employee_id": IDENTIFIER_OR_NULL,
    "payslip_id": IDENTIFIER_OR_NULL,
    "client_id": IDENTIFIER_OR_NULL,
    "inputs": {**INPUTS, "description": "The merged inputs of all levels; the most specific level wins."},
    "calculation_id": {**IDENTIFIER_OR_NULL, "description": "The calculation that it overrides or inherits from."},
    "calculation_def_id": {**IDENTIFIER_OR_NULL, "description": "The custom item, if any."},
    "profile_id": {**IDENTIFIER_OR_NULL, "description": "The profile that it overrides or inherits from."},
    "account_components": {
        "type": "object",
        "additionalProperties": AMOUNTS,
        "description": "The ledger accounts by item.",
    },
    "account_outputs": {**AMOUNTS, "description": "The amounts of its items by ledger account."},
    "input_formulas": {**AMOUNTS, "description": "The formula of a custom item."},
    "overrides": {**INPUTS, "description": "The inputs of this level that override the level above."},
    "outputs": {**AMOUNTS, "description": "The amounts of its items on the payslip, or on the employee's draft."},
    "deleted": {"type": "boolean"},
    "skip": {"type": "boolean"},
    "skip_rule": {"type": "boolean", "description": "Whether a rule skips it, not a user."},
    "multiplier": {"type": ["number", "null"]},
    "valid_from": {
        "anyOf": [DATE_SCHEMA, {"type": "null"}],
        "description": "The day since which the values of the closest level hold. Null if they have no date.",
    },
    "external_id": {"type": ["string", "null"], "description": "The ID of the calculation in your system."},
    "metadata": METADATA_SCHEMA,
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
}
CALCULATION_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "Calculation",
    "required": list(_CALCULATION),
    "properties": {
        **_CALCULATION,
        "system_type": {"type": "string", "description": "The system name; absent for custom items."},
    },
}
CALCULATION_EXAMPLE = {
    "id": 31,
    "employee_id": 4,
    "payslip_id": None,
    "client_id": 1,
    "inputs": {"amount": "180.00", "prorate": "true"},
    "calculation_id": 7,
    "calculation_def_id": None,
    "profile_id": None,
    "account_components": {
        "transport_allowance": {
            "category": "Earnings",
            "debit_account": "Allowances",
            "credit_account": "Salaries payable",
        }
    },
    "account_outputs": {"Allowances": "180.00"},
    "input_formulas": {},
    "overrides": {"amount": "180.00"},
    "outputs": {"transport_allowance": "180.00"},
    "deleted": False,
    "skip": False,
    "skip_rule": False,
    "multiplier": None,
    "valid_from": None,
    "external_id": "ALW-0042",
    "metadata": {"cost_centre": "4100"},
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "system_type": "transport_allowance",
}

_DATED_VALUES: JsonSchema = {
    "valid_from": {
        "anyOf": [DATE_SCHEMA, {"type": "null"}],
        "description": "The first day of the values; null for values without a date.",
    },
    "valid_to": {"anyOf": [DATE_SCHEMA, {"type": "null"}], "description": "The last day; null if they go on."},
    "state": {"enum": ["past", "current", "future"], "description": "In relation to the current draft, or to today."},
    "exists": {"type": "boolean", "description": "Whether the calculation exists on these days."},
    "inputs": {**INPUTS, "description": "The own inputs of the level on these days."},
    "changes": {**CHANGES, "description": "The inputs that were sent for the first day; null for a cleared input."},
    "skip": {"type": ["boolean", "null"]},
    "multiplier": {"type": ["number", "null"]},
}
HISTORY_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "CalculationHistory",
    "required": ["calculation_id", "employee_id", "profile_id", "calculation_def_id", "values"],
    "properties": {
        "calculation_id": json_schemas.IDENTIFIER,
        "employee_id": IDENTIFIER_OR_NULL,
        "profile_id": IDENTIFIER_OR_NULL,
        "calculation_def_id": {**IDENTIFIER_OR_NULL, "description": "The custom item, if any."},
        "system_type": {"type": "string", "description": "The system name; absent for custom items."},
        "values": {
            "type": "array",
            "items": {"type": "object", "required": list(_DATED_VALUES), "properties": _DATED_VALUES},
            "description": "In the order of time.",
        },
    },
}
HISTORY_EXAMPLE = {
    "calculation_id": 31,
    "employee_id": 4,
    "profile_id": None,
    "calculation_def_id": None,
    "system_type": "basic_salary",
    "values": [
        {
            "valid_from": None,
            "valid_to": "2026-11-15",
            "state": "current",
            "exists": True,
            "inputs": {"fixed_amount": "4200.00"},
            "changes": {"fixed_amount": "4200.00"},
            "skip": None,
            "multiplier": None,
        },
        {
            "valid_from": "2026-11-16",
            "valid_to": None,
            "state": "future",
            "exists": True,
            "inputs": {"fixed_amount": "4500.00"},
            "changes": {"fixed_amount": "4500.00"},
            "skip": None,
            "multiplier": None,
        },
    ],
}

_INHERITED: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "profile_id": {**IDENTIFIER_OR_NULL, "description": "The profile that regular hours come from, if any."},
    "employee_id": json_schemas.IDENTIFIER,
    "short_name": {"type": "string"},
    "calculation_def_id": IDENTIFIER_OR_NULL,
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
    "inputs": {**INPUTS, "description": "All inputs in force today, from whatever level."},
    "inputs_history": {
        "type": "object",
        "additionalProperties": CHANGES,
        "description": "The employee's changes by effective date; null for a cleared input. The initial inputs are "
        "under ''.",
    },
}
INHERITED_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "InheritedCalculation",
    "required": list(_INHERITED),
    "properties": _INHERITED,
}
DEFAULT_WEEK_EXAMPLE = inputs_json(DEFAULT_WEEK)
INHERITED_EXAMPLE = {
    "id": 5,
    "profile_id": None,
    "employee_id": 4,
    "short_name": "week_hours",
    "calculation_def_id": None,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "inputs": {**DEFAULT_WEEK_EXAMPLE, "works_sat": "true"},
    "inputs_history": {"": DEFAULT_WEEK_EXAMPLE, "2026-04-01": {"works_sat": "true"}},
}
