"""Request and response schemas of bulk input."""

from collections.abc import Mapping
from typing import Any

from gaji.core.field_types import DATE_SCHEMA, JsonSchema
from gaji.core.json_schemas import ERROR_DETAILS, IDENTIFIER, MESSAGE, WARNINGS
from gaji.payroll.bulk_input.entities import MAX_ENTITIES
from gaji.people.employees.schemas import EMPLOYEE

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
APPROVAL_ID: JsonSchema = {
    **IDENTIFIER,
    "description": "The pending approval of the new bank account, which is not saved yet. Only if there is one.",
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
        "approval_id": APPROVAL_ID,
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

EMPLOYEE_UPDATE = EMPLOYEE.json_schema(partial=True)
EMPLOYEE_BULK_UPDATE: JsonSchema = {
    **EMPLOYEE_UPDATE,
    "title": "EmployeeBulkUpdate",
    "required": ["id"],
    "properties": {"id": {**NUMERIC_STRING, "description": "ID of the employee."}, **EMPLOYEE_UPDATE["properties"]},
}


NEW_EMPLOYEE_EXAMPLE = {
    "wave_id": 1,
    "first_name": "Mei Ling",
    "last_name": "Tan",
    "payment_method": "cash",
    "birthdate": "1990-04-12",
    "appointment_date": "2026-02-01",
    "legal_status": "CITIZEN",
    "nric": "S9012345I",
    "gender": "F",
    "race": "CHINESE",
    "religion": "NONE",
    "sdl_exempt": False,
    "cpf_exempt": False,
}


def _employees_request(title: str, element: JsonSchema, example: Mapping[str, Any]) -> JsonSchema:
    return {
        "type": "object",
        "title": title,
        "required": ["employees"],
        "properties": {"employees": {"type": "array", "maxItems": MAX_ENTITIES, "items": element}},
        "examples": [{"employees": [example]}],
    }


CREATE_EMPLOYEES_REQUEST = _employees_request("CreateEmployeesRequest", EMPLOYEE.json_schema(), NEW_EMPLOYEE_EXAMPLE)
UPDATE_EMPLOYEES_REQUEST = _employees_request(
    "UpdateEmployeesRequest", EMPLOYEE_BULK_UPDATE, {"id": 4, "job_title": "Supervisor"}
)
EMPLOYEE_RESULT: JsonSchema = {
    "type": "object",
    "title": "EmployeeResult",
    "required": ["id", "number", "success"],
    "properties": {
        "id": {"type": ["integer", "null"], "description": "ID of the employee. Null if there is none."},
        "number": {"type": ["string", "null"], "description": "Number of the employee. Null if there is none."},
        "success": {"type": "boolean", "description": "Whether the employee has been saved."},
        "approval_id": APPROVAL_ID,
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "The message for each attribute that is not valid.",
        },
        "error_details": ERROR_DETAILS,
        "warnings": WARNINGS,
    },
}
EMPLOYEE_RESULTS: JsonSchema = {
    "type": "object",
    "title": "EmployeeResults",
    "required": ["message", "saved", "failed", "results"],
    "properties": {
        "message": MESSAGE,
        "saved": {"type": "integer", "description": "The number of employees that have been saved."},
        "failed": {"type": "integer", "description": "The number of employees that have not been saved."},
        "results": {
            "type": "array",
            "items": EMPLOYEE_RESULT,
            "description": "The result for each employee, in the order of the request.",
        },
    },
}
EMPLOYEE_RESULTS_EXAMPLE = {
    "message": "1 of 2 employees has been saved",
    "saved": 1,
    "failed": 1,
    "results": [
        {"id": 4, "number": "4", "success": True},
        {
            "id": None,
            "number": None,
            "success": False,
            "errors": {"gender": "is required"},
            "error_details": [{"path": "gender", "code": "required", "message": "is required", "params": {}}],
        },
    ],
}
