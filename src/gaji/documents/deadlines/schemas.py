"""Response schema of deadlines."""

from enum import StrEnum
from typing import Any

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema


class DeadlineType(StrEnum):
    """What is due."""

    PAY_RUN = "pay_run"
    LEAVE_REQUEST = "leave_request"
    CPF = "cpf"
    FOREIGN_WORKER_LEVY = "foreign_worker_levy"
    WITHHOLDING_TAX = "withholding_tax"
    IR8A = "ir8a"
    IR21 = "ir21"


_OPTIONAL_ID: JsonSchema = {"type": ["integer", "null"], "minimum": 1}
_OPTIONAL_COUNT: JsonSchema = {"type": ["integer", "null"], "minimum": 0}
_DATE: JsonSchema = {"type": "string", "format": "date"}
PROPERTIES: dict[str, JsonSchema] = {
    "type": {"type": "string", "enum": [str(kind) for kind in DeadlineType]},
    "due_date": _DATE | {"description": "The pay date, the first day of leave, or the day of the authority."},
    "overdue": {"type": "boolean", "description": "Whether the due date is over."},
    "amount": {"type": ["number", "null"], "description": "The levy or the tax."},
    "month": {"type": ["string", "null"], "pattern": r"^\d{4}-\d{2}$", "description": "The month of CPF or the levy."},
    "year": {"type": ["integer", "null"], "description": "The year of income of certificates (IR8A)."},
    "wave_id": _OPTIONAL_ID | {"description": "The wave of a pay run."},
    "period_end_date": {"type": ["string", "null"], "format": "date", "description": "The period of a pay run."},
    "payment_run_id": _OPTIONAL_ID | {"description": "The pay run. Null if it has not been opened."},
    "payslips": _OPTIONAL_COUNT | {"description": "Drafts of the period."},
    "attention": _OPTIONAL_COUNT | {"description": "Drafts that cannot be finalised yet."},
    "leave_request_id": _OPTIONAL_ID,
    "employee_id": _OPTIONAL_ID | {"description": "The employee who asks for leave, the director or the leaver."},
    "payslip_id": _OPTIONAL_ID | {"description": "The payslip with the withheld tax."},
}
DEADLINE: JsonSchema = {
    "type": "object",
    "title": "Deadline",
    "required": list(PROPERTIES),
    "properties": PROPERTIES,
}
LIST: JsonSchema = json_schemas.list_schema("deadline", DEADLINE)
EXAMPLE: dict[str, Any] = {
    **dict.fromkeys(PROPERTIES),
    "type": "pay_run",
    "due_date": "2026-01-31",
    "overdue": False,
    "wave_id": 1,
    "period_end_date": "2026-01-31",
    "payment_run_id": 3,
    "payslips": 25,
    "attention": 0,
}
