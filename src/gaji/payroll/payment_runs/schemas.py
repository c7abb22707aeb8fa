"""What payment runs look like in an answer."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.people.employees import payslip_schemas as payslips
from gaji.web import schemas

COUNT: JsonSchema = {"type": "integer", "minimum": 0}
LIST_FORM: JsonSchema = {
    "type": "object",
    "title": "PaymentRun",
    "properties": {
        "id": schemas.IDENTIFIER,
        "wave_id": schemas.IDENTIFIER,
        "period_offset": {"type": "integer"},
        "period_end_date": {"type": "string", "format": "date"},
        "total": {"type": "number", "description": "The nett pay of its payslips, as far as they are calculated."},
        "created_at": schemas.TIMESTAMP,
        "updated_at": schemas.TIMESTAMP,
        "special": {"type": "boolean", "description": "Whether it is a run of once-off payslips."},
        "posted_to_accounting_system": {"type": "boolean"},
    },
}
LIST_FORM["required"] = list(LIST_FORM["properties"])
COUNTS: JsonSchema = {
    "type": "object",
    "properties": {
        "payslips": COUNT,
        "calculated": COUNT,
        "dirty": COUNT | {"description": "Those that wait to be taken up or calculated."},
        "attention": COUNT | {"description": "Those that something keeps from being finalised."},
    },
}
COUNTS["required"] = list(COUNTS["properties"])
READ_FORM: JsonSchema = {
    **LIST_FORM,
    "title": "PaymentRunWithProgress",
    "properties": {
        **LIST_FORM["properties"],
        "state": {"enum": ["opening", "calculating", "ready"]},
        "finalised": {"type": "boolean"},
        "released": {"type": "boolean"},
        "counts": COUNTS,
        "progress": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Calculated, in hundredths."},
    },
}
READ_FORM["required"] = list(READ_FORM["properties"])
PAYSLIP: JsonSchema = {
    **payslips.DATA_FORM,
    "title": "PayslipInRun",
    "required": [*payslips.DATA_FORM["required"], "employee_id", "data"],
    "properties": {**payslips.DATA_FORM["properties"], "employee_id": schemas.IDENTIFIER},
}

LIST_EXAMPLE: dict[str, Any] = {
    "id": 3,
    "wave_id": 1,
    "period_offset": 216,
    "period_end_date": "2026-01-31",
    "total": 3358.5,
    "created_at": "2026-01-28T09:00:00.000000+08:00",
    "updated_at": "2026-01-28T09:00:00.000000+08:00",
    "special": False,
    "posted_to_accounting_system": False,
}
READ_EXAMPLE: dict[str, Any] = {
    **LIST_EXAMPLE,
    "state": "ready",
    "finalised": False,
    "released": False,
    "counts": {"payslips": 1, "calculated": 1, "dirty": 0, "attention": 0},
    "progress": 100,
}
PAYSLIP_EXAMPLE: dict[str, Any] = {
    **payslips.LIST_EXAMPLE,
    "payment_run_id": 3,
    "employee_id": 12,
    "data": {
        "income": [["Basic salary", "4200.00"], ["Total", "4200.00"]],
        "deduction": [["CDAC fund", "1.50"], ["CPF, employee's share", "840.00"], ["Total", "841.50"]],
        "grand_total": [["Nett pay", "3358.50"]],
        "sideline": [["employer_contribution", [["CPF, employer's share", "714.00"]]]],
        "leave_payments": {},
    },
}
