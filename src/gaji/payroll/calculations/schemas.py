"""What calculations look like in an answer."""

from gaji.core.validation import JsonSchema
from gaji.web import schemas

IDENTIFIER_OR_NULL: JsonSchema = {"type": ["integer", "null"]}
INPUTS: JsonSchema = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
CHANGES: JsonSchema = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}
AMOUNTS: JsonSchema = {"type": "object", "additionalProperties": {"type": "string"}}

_CALCULATION: JsonSchema = {
    "id": {**IDENTIFIER_OR_NULL, "description": "Null for one that is inherited from a level above."},
    "employee_id": IDENTIFIER_OR_NULL,
    "payslip_id": IDENTIFIER_OR_NULL,
    "client_id": IDENTIFIER_OR_NULL,
    "inputs": {**INPUTS, "description": "The inputs of all levels, the closest of each."},
    "calculation_id": {**IDENTIFIER_OR_NULL, "description": "The calculation that it overrides or comes from."},
    "calculation_def_id": {**IDENTIFIER_OR_NULL, "description": "The custom item that it is of."},
    "profile_id": {**IDENTIFIER_OR_NULL, "description": "The profile that it overrides or comes from."},
    "account_components": {
        "type": "object",
        "additionalProperties": AMOUNTS,
        "description": "By item the ledger accounts that its amount goes to.",
    },
    "account_outputs": {**AMOUNTS, "description": "What its items came to, by ledger account."},
    "input_formulas": {**AMOUNTS, "description": "The formula of a custom item."},
    "overrides": {**INPUTS, "description": "The inputs that this level sets against the one above."},
    "outputs": {**AMOUNTS, "description": "What its items came to on the payslip, or on the employee's draft."},
    "deleted": {"type": "boolean"},
    "skip": {"type": "boolean"},
    "skip_rule": {"type": "boolean", "description": "Whether a rule, and nobody, left it out."},
    "multiplier": {"type": ["number", "null"]},
    "created_at": schemas.TIMESTAMP,
    "updated_at": schemas.TIMESTAMP,
}
CALCULATION: JsonSchema = {
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
    "inputs": {"amount": "180.00", "prorate": True},
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
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "system_type": "transport_allowance",
}

_INHERITED: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "profile_id": IDENTIFIER_OR_NULL,
    "employee_id": schemas.IDENTIFIER,
    "short_name": {"type": "string"},
    "calculation_def_id": IDENTIFIER_OR_NULL,
    "created_at": schemas.TIMESTAMP,
    "updated_at": schemas.TIMESTAMP,
    "inputs": {**INPUTS, "description": "The inputs of today."},
    "inputs_history": {
        "type": "object",
        "additionalProperties": CHANGES,
        "description": "By effective date what changed, null for what was cleared; the initial inputs under ''.",
    },
}
INHERITED: JsonSchema = {
    "type": "object",
    "title": "InheritedCalculation",
    "required": list(_INHERITED),
    "properties": _INHERITED,
}
INHERITED_EXAMPLE = {
    "id": 5,
    "profile_id": None,
    "employee_id": 4,
    "short_name": "week_hours",
    "calculation_def_id": None,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "inputs": {"schedule": "fixed", "works_mon": True, "works_sat": True},
    "inputs_history": {"": {"schedule": "fixed", "works_mon": True}, "2026-04-01": {"works_sat": True}},
}
