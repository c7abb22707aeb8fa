"""Response schemas of the payslips inside employees and pay runs."""

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema

AMOUNT: JsonSchema = {"type": "string", "pattern": r"^-?\d+\.\d{2}$"}
ITEM: JsonSchema = {
    "type": ["string", "integer"],
    "description": "The name of a system item, or the number of a custom item.",
}
LINES: JsonSchema = {
    "type": "array",
    "items": {
        "type": "array",
        "prefixItems": [ITEM, AMOUNT],
        "minItems": 2,
        "maxItems": 2,
        "description": "The item (a system name, or the number of a custom item) and its amount as a decimal string.",
    },
}
GROUPS: JsonSchema = {
    "type": "array",
    "items": {
        "type": "array",
        "prefixItems": [{"type": "string", "description": "The group, such as `employer_contribution`."}, LINES],
        "minItems": 2,
        "maxItems": 2,
        "description": "The group and its items.",
    },
}
SECTIONS: JsonSchema = {"income": LINES, "deduction": LINES, "grand_total": LINES, "sideline": GROUPS}

LEAVE_PAYMENTS: JsonSchema = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "title": "LeavePayment",
        "required": ["days", "amount"],
        "properties": {"days": {"type": "number"}, "amount": AMOUNT},
    },
    "description": "Days and amount, by the name of the leave type.",
}

PAYSLIP_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "Payslip",
    "required": ["id", "date", "special", "finalised", "dirty", "ss_released", "payment_run_id"],
    "properties": {
        "id": json_schemas.IDENTIFIER,
        "date": {"type": "string", "format": "date", "description": "The last day of its period."},
        "special": {"type": "boolean", "description": "Whether it is a once-off payslip."},
        "corrects": {
            "type": "integer",
            "description": "The payslip that it corrects. Only in payslips of correction runs.",
        },
        "finalised": {"type": "boolean"},
        "dirty": {"type": "boolean", "description": "Whether it is waiting for calculation."},
        "nett_pay": {"type": "number", "description": "Absent while the payslip is waiting for calculation."},
        "ss_released": {"type": "boolean", "description": "Whether the employee can see it."},
        "payment_run_id": {"type": ["integer", "null"]},
    },
}
PAYSLIP_WITH_DATA_SCHEMA: JsonSchema = {
    **PAYSLIP_SCHEMA,
    "title": "PayslipWithData",
    "properties": {
        **PAYSLIP_SCHEMA["properties"],
        "data": {
            "type": "object",
            "title": "PayslipData",
            "required": [*SECTIONS, "leave_payments"],
            "properties": {**SECTIONS, "leave_payments": LEAVE_PAYMENTS},
            "description": "The items, by caption.",
        },
    },
}
