"""Request and response schemas of custom items, calculation types and payslip items."""

from dataclasses import dataclass

import msgspec

from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.error_codes import NOT_A_STRING
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, JsonSchema, Text, parse_integer
from gaji.core.validation import MAX_NAME_LENGTH, Attribute, Schema, add_input_error, when
from gaji.engine.catalogue import (
    LEVELS,
    CpfTreatment,
    InputField,
    InputKind,
    ItemDefinition,
    PayslipSection,
    Treatment,
)
from gaji.engine.invalid_input import InvalidInput
from gaji.engine.money import to_cents
from gaji.payroll.calculation_definitions.rules import NOT_AN_ITEM, check_treatment, fill_percentage_of

MAX_ITEMS = 50

WRONG_ITEM_COUNT = ErrorCode("wrong_item_count", "must be an array of 1 to {maximum} items")
DUPLICATE_ITEMS = ErrorCode("duplicate_items", "must not contain the same item twice")

FIXED, PERCENTAGE, FORMULA = when("input", "fixed"), when("input", "percentage"), when("input", "formula")


class CalculationDefinitionInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a custom item. Amount and percentage are decimal strings."""

    name: str
    kind: str
    input: str
    cpf: str
    taxable: bool
    sdl: bool
    funds: bool
    gross_rate: bool
    ir8a: str | None
    amount: str | None
    percentage: str | None
    percentage_of: list[str] | None
    formula: str | None

    @property
    def amount_cents(self) -> int | None:
        """The amount in cents."""
        return None if self.amount is None else to_cents(self.amount)

    def to_definition(self, definition_id: int) -> ItemDefinition:
        """Return the definition for the engine."""
        return ItemDefinition(
            id=definition_id,
            name=self.name,
            kind=self.kind,
            input=self.input,
            treatment=Treatment(CpfTreatment(self.cpf), self.sdl, self.funds, self.gross_rate, self.ir8a or None),
            amount_cents=self.amount_cents,
            percentage=self.percentage,
            percentage_of=tuple(self.percentage_of or ()),
            formula=self.formula,
        )


@dataclass(frozen=True)
class DecimalInput:
    """Money or a percentage, parsed as an input of a calculation. The value is a decimal string."""

    field: InputField

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        try:
            return str(self.field.parse(value))
        except InvalidInput as error:
            add_input_error(errors, path, error)
            return None

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "string", "pattern": r"^\d{1,9}(\.\d{1,3})?$"}, {"type": "number", "minimum": 0}]}


@dataclass(frozen=True)
class ItemList:
    """A list of payslip items, at least one. Custom items are given by number."""

    def parse(self, value: object, path: str, errors: Errors) -> list[str] | None:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
            errors.add(path, WRONG_ITEM_COUNT, maximum=MAX_ITEMS)
            return None
        names = [_item_name(element) for element in value]
        for index, name in enumerate(names):
            if not name:
                errors.add(f"{path}.{index}", NOT_AN_ITEM)
        if len(set(names)) < len(names):
            errors.add_if_absent(path, DUPLICATE_ITEMS)
        return names

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_ITEMS,
            "uniqueItems": True,
            "items": {"type": ["string", "integer"]},
        }


def _item_name(value: object) -> str:
    number = parse_integer(value)
    if number is not None:
        return str(number)
    return value if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH else ""


@dataclass(frozen=True)
class FormulaText:
    """A formula. It is parsed later, because that needs the other items of the client."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, str):
            return value
        errors.add(path, NOT_A_STRING)
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "minLength": 1, "maxLength": 1000}


CALCULATION_DEFINITION = Schema(
    "calculation_definition",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Standby"),
        Attribute("kind", one_of("calculation_kind"), "Kind of item.", required=True, example="allowance"),
        Attribute(
            "input",
            one_of("calculation_input"),
            "How the amount is determined.",
            required=True,
            example="rate_quantity",
        ),
        Attribute(
            "cpf", one_of("calculation_cpf"), "Type of wages for CPF. Default: `ordinary` for income and allowances."
        ),
        Attribute(
            "taxable",
            Boolean(),
            "Whether it is reported on form IR8A. Default: `true` for income, allowances and benefits.",
        ),
        Attribute("sdl", Boolean(), "Whether it counts for the skills development levy. Default: as for CPF."),
        Attribute("funds", Boolean(), "Whether it counts for the self-help funds. Default: as for CPF."),
        Attribute(
            "gross_rate",
            Boolean(),
            "Whether it belongs to the gross rate of pay. Default: `true` for allowances.",
        ),
        Attribute("ir8a", one_of("ir8a_item"), "The item of form IR8A that it is reported under."),
        Attribute(
            "amount",
            DecimalInput(InputField("amount", InputKind.MONEY, "")),
            "Amount on every payslip.",
            required_if=FIXED,
            only_if=FIXED,
        ),
        Attribute(
            "percentage",
            DecimalInput(InputField("percentage", InputKind.PERCENTAGE, "")),
            "Default percentage. A calculation can override it.",
            only_if=PERCENTAGE,
        ),
        Attribute("percentage_of", ItemList(), "The items that the percentage applies to.", only_if=PERCENTAGE),
        Attribute("formula", FormulaText(), "The formula.", required_if=FORMULA, only_if=FORMULA),
    ),
    rules=(check_treatment, fill_percentage_of),
    struct=CalculationDefinitionInput,
)

SECTIONS = [section.value for section in PayslipSection]

DEFINITION: JsonSchema = json_schemas.resource_schema(CALCULATION_DEFINITION, "CalculationDefinition")
DEFINITION["properties"] |= {
    "cpf": {"enum": ["ordinary", "additional", "none"]},
    **{name: {"type": "boolean"} for name in ("taxable", "sdl", "funds", "gross_rate")},
    "amount": {"type": ["string", "null"]},
    "percentage": {"type": ["string", "null"]},
    "percentage_of": {"type": ["array", "null"], "items": {"type": "string"}},
}
DEFINITION_EXAMPLE = {
    "id": 12,
    "client_id": 1,
    "name": "Standby",
    "kind": "allowance",
    "input": "rate_quantity",
    "cpf": "ordinary",
    "taxable": True,
    "sdl": True,
    "funds": True,
    "gross_rate": True,
    "ir8a": "d1_other",
    "amount": None,
    "percentage": None,
    "percentage_of": None,
    "formula": None,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}

INPUT: JsonSchema = {
    "type": "object",
    "required": ["name", "type", "required", "description", "levels"],
    "properties": {
        "name": {"type": "string"},
        "type": {"enum": [kind.value for kind in InputKind]},
        "required": {"type": "boolean"},
        "description": {"type": "string"},
        "levels": {"type": "array", "items": {"enum": list(LEVELS)}},
        "allowed_values": {"type": "array", "items": {"type": "string"}},
        "default": {"type": ["string", "boolean"]},
    },
}
TREATMENT: JsonSchema = {
    "type": "object",
    "required": ["cpf", "sdl", "funds", "gross_rate", "ir8a"],
    "properties": {
        "cpf": {"enum": ["ordinary", "additional", "none", "by_input"]},
        "sdl": {"type": "boolean"},
        "funds": {"type": "boolean"},
        "gross_rate": {"type": "boolean"},
        "ir8a": {"type": ["string", "null"]},
    },
}
_TYPE: JsonSchema = {
    "calc_type": {"type": "string", "description": "The system name, or the number of a custom item."},
    "name": {"type": "string"},
    "section": {"enum": SECTIONS},
    "calculation_def_id": {"type": ["integer", "null"]},
    "inputs": {"type": "array", "items": INPUT},
    "alternatives": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Mutually exclusive inputs.",
    },
    "items": {"type": "array", "items": {"type": "string"}, "description": "The payslip items that it produces."},
    "treatment": TREATMENT,
}
TYPE: JsonSchema = {"type": "object", "title": "CalculationType", "required": list(_TYPE), "properties": _TYPE}
TYPES: JsonSchema = {"type": "array", "items": TYPE}
TYPE_EXAMPLE = {
    "calc_type": "transport_allowance",
    "name": "Transport allowance",
    "section": "income",
    "calculation_def_id": None,
    "inputs": [
        {
            "name": "amount",
            "type": "money",
            "required": False,
            "description": "Allowance per payslip.",
            "levels": list(LEVELS),
        }
    ],
    "alternatives": [],
    "items": ["transport_allowance"],
    "treatment": {"cpf": "ordinary", "sdl": True, "funds": True, "gross_rate": False, "ir8a": "d1_transport"},
}

_ITEM: JsonSchema = {
    "item": {"type": "string"},
    "caption": {"type": "string"},
    "section": {"enum": SECTIONS},
    "account": {"type": "string", "description": "The ledger account."},
}
ITEM: JsonSchema = {"type": "object", "title": "PayslipItem", "required": list(_ITEM), "properties": _ITEM}
ITEMS: JsonSchema = {"type": "array", "items": ITEM}
ITEM_EXAMPLE = {"item": "basic_salary", "caption": "Basic salary", "section": "income", "account": "Salaries and wages"}
