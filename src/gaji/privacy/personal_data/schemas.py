"""Response schema of personal data."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema

RECORDS: JsonSchema = {
    "type": "object",
    "description": "Records by table. Amounts are decimal strings. The contents of files have operations of their own.",
    "additionalProperties": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
}
PERSONAL_DATA: JsonSchema = {
    "type": "object",
    "title": "PersonalData",
    "required": ["client", "employee_id", "exported_at", "identifiers_masked", "records", "left_out"],
    "properties": {
        "client": {
            "type": "object",
            "required": ["id", "name"],
            "properties": {"id": json_schemas.IDENTIFIER, "name": {"type": "string"}},
        },
        "employee_id": json_schemas.IDENTIFIER,
        "exported_at": json_schemas.TIMESTAMP,
        "identifiers_masked": {"type": "boolean"},
        "records": RECORDS,
        "left_out": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["records", "reason"],
                "properties": {"records": {"type": "string"}, "reason": {"type": "string"}},
            },
            "description": "What is left out of an export that employees make for themselves.",
        },
    },
}
EXAMPLE: dict[str, Any] = {
    "client": {"id": 1, "name": "Merlion Logistics Pte Ltd"},
    "employee_id": 4,
    "exported_at": "2026-11-17T09:30:00+08:00",
    "identifiers_masked": False,
    "records": {
        "employees": [{"id": 4, "number": "4", "first_name": "Mei Ling", "last_name": "Tan", "nric": "S1234567D"}],
        "children": [{"id": 2, "name": "Tan Wei", "birthdate": "2022-03-01"}],
    },
    "left_out": [],
}
