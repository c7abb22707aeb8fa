"""Response schemas of payslips and their explanations."""

from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.people.employees.payslip_schemas import AMOUNT, ITEM, SECTIONS

LEAVE: JsonSchema = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "title": "PayslipLeave",
        "required": ["accrual", "taken", "balance"],
        "properties": {
            "accrual": {"type": "number", "description": "Days accrued in the period."},
            "taken": {"type": "number", "description": "Days taken in the period."},
            "balance": {"type": "number", "description": "Days left at the end of the period."},
        },
    },
    "description": "Days of leave, by the name of the leave type.",
}
PREVIEW_FORM: JsonSchema = {
    "type": "object",
    "title": "PayslipLines",
    "required": [*SECTIONS, "leave"],
    "properties": {**SECTIONS, "leave": LEAVE},
}
DETAIL_FORM: JsonSchema = {
    **PREVIEW_FORM,
    "title": "PayslipDetail",
    "required": [*PREVIEW_FORM["required"], "id"],
    "properties": {**PREVIEW_FORM["properties"], "id": json_schemas.IDENTIFIER},
}
PARAMETER: JsonSchema = {
    "type": "object",
    "required": ["name", "value", "since", "source"],
    "properties": {
        "name": {"type": "string"},
        "value": {"type": "string"},
        "since": {"type": "string", "format": "date", "description": "The day on which the value took effect."},
        "source": {"type": "string"},
    },
}
REASON: JsonSchema = {
    "type": "object",
    "title": "Explanation",
    "required": ["item", "caption", "section", "amount", "inputs", "rule", "source", "parameters", "arithmetic"],
    "properties": {
        "item": ITEM,
        "caption": {"type": "string"},
        "section": {"type": "string"},
        "amount": AMOUNT,
        "inputs": {"type": "object", "description": "The inputs of the rule."},
        "rule": {"type": "string"},
        "source": {"type": "string", "description": "The legal source."},
        "branch": {"type": "string", "description": "The case of the rule that applies."},
        "parameters": {"type": "array", "items": PARAMETER},
        "arithmetic": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Step by step; the last one ends with the amount.",
        },
    },
}
TEXTS: JsonSchema = {"type": "array", "items": {"type": "string"}}
EXPLAINED: JsonSchema = {
    "explanation": {"type": "array", "items": REASON},
    "attention": TEXTS | {"description": "Reasons why the payslip cannot be finalised yet."},
    "remarks": TEXTS | {"description": "Remarks that do not block finalising."},
}
EXPLANATION: JsonSchema = {"type": "object", "required": list(EXPLAINED), "properties": EXPLAINED}
PREVIEW: JsonSchema = {
    "type": "object",
    "required": ["payslip", *EXPLAINED],
    "properties": {"payslip": PREVIEW_FORM, **EXPLAINED, "warnings": json_schemas.WARNINGS},
}

LIST_EXAMPLE: dict[str, Any] = {
    "id": 7,
    "date": "2026-01-31",
    "special": False,
    "finalised": False,
    "dirty": False,
    "nett_pay": 3358.5,
    "ss_released": False,
    "payment_run_id": None,
}
LINES_EXAMPLE: dict[str, Any] = {
    "income": [["basic_salary", "4200.00"], ["total", "4200.00"]],
    "deduction": [["cpf_employee", "840.00"], ["cdac", "1.50"], ["total", "841.50"]],
    "grand_total": [["nett_pay", "3358.50"]],
    "sideline": [["employer_contribution", [["cpf_employer", "714.00"], ["sdl", "10.50"]]]],
    "leave": {},
}
REASON_EXAMPLE: dict[str, Any] = {
    "item": "total",
    "caption": "Total income",
    "section": "income",
    "amount": "4200.00",
    "inputs": {"Basic salary": "$4,200.00"},
    "rule": "The sum of the lines above.",
    "source": "Addition",
    "branch": "",
    "parameters": [],
    "arithmetic": ["$4,200.00 = $4,200.00"],
}
EXPLANATION_EXAMPLE: dict[str, Any] = {"explanation": [REASON_EXAMPLE], "attention": [], "remarks": []}
