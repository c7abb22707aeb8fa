"""What custom items, calculation types and payslip items look like in an answer."""

from gaji.core.validation import JsonSchema
from gaji.engine.catalogue import LEVELS, InputKind, PayslipSection
from gaji.payroll.calculation_definitions.rules import CALCULATION_DEFINITION
from gaji.web import schemas

SECTIONS = [section.value for section in PayslipSection]

DEFINITION: JsonSchema = schemas.read_form(CALCULATION_DEFINITION, "CalculationDefinition")
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
    "name": "Night shift",
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
        "description": "Inputs of which only one can be given.",
    },
    "items": {"type": "array", "items": {"type": "string"}, "description": "The items of a payslip that it brings."},
    "treatment": TREATMENT,
}
TYPE: JsonSchema = {"type": "object", "title": "CalculationType", "required": list(_TYPE), "properties": _TYPE}
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
            "description": "The allowance of a payslip.",
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
ITEM_EXAMPLE = {"item": "basic_salary", "caption": "Basic salary", "section": "income", "account": "Salaries and wages"}
