"""Request and response schemas of bulk input."""

from gaji.core.json_schemas import ERROR_DETAILS
from gaji.core.validation import DATE_SCHEMA, JsonSchema
from gaji.payroll.bulk_input.entities import MAX_ENTITIES

NUMERIC_STRING: JsonSchema = {
    "anyOf": [{"type": "string", "pattern": "^[0-9]{1,18}$"}, {"type": "integer", "minimum": 1}]
}
ENTITY: JsonSchema = {
    "type": "object",
    "required": ["id", "attributes"],
    "properties": {
        "id": {**NUMERIC_STRING, "description": "ID of the employee."},
        "payslip_id": {**NUMERIC_STRING, "description": "ID of the payslip that calculation inputs are for."},
        "payslip_date": {
            **DATE_SCHEMA,
            "description": "Instead of payslip_id: the end of the period of the regular payslip.",
        },
        "effective_date": {
            **DATE_SCHEMA,
            "description": "The first day of changed `week_hours` inputs. Required with them if the employee has "
            "finalised payslips.",
        },
        "valid_from": {
            **DATE_SCHEMA,
            "description": "The first day of the other changed inputs of the employee. Default: the start of the "
            "current draft, or always if no payslip is finalised.",
        },
        "attributes": {
            "type": "object",
            "description": "Attributes of the employee, nested ones as `bank_account.account_number`, and inputs of "
            "calculations as `calc.<calculation>.<input>`.",
            "additionalProperties": True,
        },
    },
}
BULK_INPUT_REQUEST: JsonSchema = {
    "type": "object",
    "required": ["entities"],
    "properties": {"entities": {"type": "array", "maxItems": MAX_ENTITIES, "items": ENTITY}},
    "examples": [
        {
            "entities": [
                {"id": "4", "payslip_date": "2026-11-30", "attributes": {"calc.basic_salary.overtime_hours_input": "6"}}
            ]
        }
    ],
}
RESULT: JsonSchema = {
    "type": "object",
    "title": "BulkInputResult",
    "required": ["id", "success", "message"],
    "properties": {
        "id": {"description": "As it was sent."},
        "payslip_id": {"description": "As it was sent, or the payslip of the date that was sent."},
        "payslip_date": {"description": "As it was sent."},
        "success": {"enum": ["true", "false"]},
        "message": {"type": "string"},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "The message for each key that failed, as it was sent.",
        },
        "error_details": ERROR_DETAILS,
    },
}
RESULTS: JsonSchema = {"type": "array", "items": RESULT}
RESULTS_EXAMPLE = [{"id": "4", "payslip_id": "17", "success": "true", "message": "Mei Ling Tan (4) has been updated"}]
