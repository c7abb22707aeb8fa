"""Request and response schemas of payment runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.errors import ErrorCode, Errors
from gaji.core.external_references import METADATA_SCHEMA, REFERENCES
from gaji.core.field_types import Boolean, DateType, Integer, JsonSchema
from gaji.core.validation import Attribute, Schema, when
from gaji.payroll.payslips.schemas import LIST_EXAMPLE as PAYSLIP_LIST_EXAMPLE
from gaji.payroll.snapshots.differences import MAX_PAYSLIPS
from gaji.people.employees.payslip_schemas import ITEM, PAYSLIP_WITH_DATA_SCHEMA

MAX_EMPLOYEES = 200_000
MAX_LISTED_ERRORS = 100
"""A large body with errors must not produce a large response."""
SPECIAL = when("special", True)

NOT_EMPLOYEE_IDS = ErrorCode("not_employee_ids", "must be an array of 1 to {maximum:,} employee IDs")
REPEATED_EMPLOYEE = ErrorCode("repeated_employee", "must not contain the same employee twice")


class PaymentRunInput(msgspec.Struct, frozen=True, kw_only=True):
    """A payment run to open."""

    wave_id: int
    period_end_date: date
    special: bool
    employee_ids: Sequence[int] | None
    external_id: str | None = None
    metadata: dict[str, str] = {}


class CorrectionRunInput(msgspec.Struct, frozen=True, kw_only=True):
    """A correction run to open."""

    corrects: int
    employee_ids: Sequence[int] | None
    external_id: str | None = None
    metadata: dict[str, str] = {}


class PaymentRunUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The attributes of a payment run that can be changed."""

    posted_to_accounting_system: bool
    payment_date: date | None
    external_id: str | None = None
    metadata: dict[str, str] = {}


@dataclass(frozen=True)
class EmployeeIdList:
    """The ids of employees, without repetition."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if not isinstance(value, list) or not 0 < len(value) <= MAX_EMPLOYEES:
            errors.add(path, NOT_EMPLOYEE_IDS, maximum=MAX_EMPLOYEES)
            return None
        employee_ids: list[int] = []
        element_errors = Errors()
        for index, element in enumerate(value):
            employee_id = Integer(minimum=1).parse(element, f"{path}.{index}", element_errors)
            if employee_id is not None:
                employee_ids.append(employee_id)
        if len(set(employee_ids)) < len(employee_ids):
            element_errors.add(path, REPEATED_EMPLOYEE)
        errors |= element_errors.first(MAX_LISTED_ERRORS)
        return employee_ids

    def json_schema(self) -> JsonSchema:
        identifier = {"type": "integer", "minimum": 1}
        return {"type": "array", "minItems": 1, "maxItems": MAX_EMPLOYEES, "uniqueItems": True, "items": identifier}


PAYMENT_RUN = Schema(
    "payment_run",
    (
        Attribute("wave_id", Integer(minimum=1), "The wave whose employees are paid.", required=True, example=1),
        Attribute("period_end_date", DateType(), "The last day of the period.", required=True, example="2026-01-31"),
        Attribute("special", Boolean(), "Whether the run consists of once-off payslips.", default=False),
        Attribute(
            "employee_ids",
            EmployeeIdList(),
            "The employees who get a once-off payslip.",
            required_if=SPECIAL,
            only_if=SPECIAL,
        ),
        *REFERENCES,
    ),
    struct=PaymentRunInput,
)

CORRECTION_RUN = Schema(
    "payment_run",
    (
        Attribute(
            "corrects",
            Integer(minimum=1),
            "The finalised payment run to correct. The new run has only the differences.",
            required=True,
            example=3,
        ),
        Attribute("employee_ids", EmployeeIdList(), "The employees to correct. Default: all with differences."),
        *REFERENCES,
    ),
    struct=CorrectionRunInput,
    title="CorrectionRunInput",
)
OPEN_BODY: JsonSchema = {
    "title": "OpenPaymentRunRequest",
    "anyOf": [PAYMENT_RUN.json_schema(), CORRECTION_RUN.json_schema()],
    "examples": [json_schemas.resource_example(PAYMENT_RUN)],
}

READ_ONLY = (
    *("id", "wave_id", "period_offset", "period_end_date", "total", "created_at", "updated_at", "special", "client_id"),
    *(
        "corrects",
        "state",
        "finalised",
        "finalised_at",
        "released",
        "counts",
        "progress",
        "differences",
        "paid_at",
        "paid_by",
    ),
)
PAYMENT_RUN_UPDATE = Schema(
    "payment_run",
    (
        Attribute(
            "posted_to_accounting_system",
            Boolean(),
            "Whether the journal is in the accounting system.",
            default=False,
            example=True,
        ),
        Attribute(
            "payment_date",
            DateType(),
            "The day on which the run is paid. Null: the pay date of the wave. Not once the run is marked as paid.",
            example="2026-01-30",
        ),
        *REFERENCES,
    ),
    read_only=READ_ONLY,
    struct=PaymentRunUpdate,
)


class MadePayment(msgspec.Struct, frozen=True, kw_only=True):
    """When the payments of a run were made."""

    payment_date: date | None
    """None: on the payment date of the run."""


MADE_PAYMENT = Schema(
    "made_payment",
    (
        Attribute(
            "payment_date",
            DateType(),
            "The day on which the payments were made, such as the value date of the payment file. "
            "Default: the payment date of the run.",
            example="2026-01-30",
        ),
    ),
    read_only=(),
    struct=MadePayment,
)

STATES = ("open", "calculating", "finalised")
COUNT: JsonSchema = {"type": "integer", "minimum": 0}
LIST_FORM: JsonSchema = {
    "type": "object",
    "title": "PaymentRun",
    "properties": {
        "id": json_schemas.IDENTIFIER,
        "wave_id": json_schemas.IDENTIFIER,
        "period_offset": {"type": "integer"},
        "period_end_date": {"type": "string", "format": "date"},
        "total": {"type": "number", "description": "The nett pay of its calculated payslips."},
        "created_at": json_schemas.TIMESTAMP,
        "updated_at": json_schemas.TIMESTAMP,
        "special": {"type": "boolean", "description": "Whether the run consists of once-off payslips."},
        "corrects": {"type": ["integer", "null"], "description": "The payment run that it corrects."},
        "posted_to_accounting_system": {"type": "boolean"},
        "state": {"title": "PaymentRunState", "enum": list(STATES)},
        "finalised_at": {"type": ["string", "null"], "format": "date-time"},
        "payment_date": {"type": "string", "format": "date", "description": "The day on which the run is paid."},
        "paid_at": {
            "type": ["string", "null"],
            "format": "date-time",
            "description": "When the run was marked as paid.",
        },
        "paid_by": {"type": ["string", "null"], "description": "The name or email address of the user."},
        "external_id": {"type": ["string", "null"], "description": "The ID of the run in your system."},
        "metadata": METADATA_SCHEMA,
    },
}
LIST_FORM["required"] = list(LIST_FORM["properties"])
COUNTS: JsonSchema = {
    "type": "object",
    "properties": {
        "payslips": COUNT,
        "calculated": COUNT,
        "dirty": COUNT | {"description": "Payslips that wait for calculation."},
        "attention": COUNT | {"description": "Payslips that cannot be finalised yet."},
    },
}
COUNTS["required"] = list(COUNTS["properties"])
DIFFERENCE: JsonSchema = {
    "type": "object",
    "properties": {
        "item": ITEM | {"description": "The item, `total_income`, `total_deduction` or `nett_pay`."},
        "before": {"type": ["string", "null"], "description": "The amount; null if the payslip lacked the item."},
        "after": {"type": ["string", "null"]},
    },
}
DIFFERENCE["required"] = list(DIFFERENCE["properties"])
CHANGED_PAYSLIP: JsonSchema = {
    "type": "object",
    "properties": {
        "payslip_id": json_schemas.IDENTIFIER,
        "employee_id": json_schemas.IDENTIFIER,
        "employee_number": {"type": "string"},
        "items": {"type": "array", "items": DIFFERENCE},
    },
}
CHANGED_PAYSLIP["required"] = list(CHANGED_PAYSLIP["properties"])
DIFFERENCES: JsonSchema = {
    "type": "object",
    "title": "RunDifferences",
    "description": "Amounts that differ from the previous finalisation of the run.",
    "required": ["count", "payslips"],
    "properties": {
        "count": COUNT | {"description": "How many payslips differ."},
        "payslips": {"type": "array", "maxItems": MAX_PAYSLIPS, "items": CHANGED_PAYSLIP},
    },
}
FINALISED: JsonSchema = {
    **json_schemas.SAVED,
    "title": "FinalisedResponse",
    "properties": {**json_schemas.SAVED["properties"], "differences": DIFFERENCES},
    "examples": [{"message": "The payment run has been finalised: 1 payslip", "id": 3}],
}
READ_FORM: JsonSchema = {
    **LIST_FORM,
    "title": "PaymentRunWithProgress",
    "properties": {
        **LIST_FORM["properties"],
        "finalised": {"type": "boolean"},
        "released": {"type": "boolean"},
        "counts": COUNTS,
        "progress": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "description": "Percentage of payslips that are calculated.",
        },
        "differences": {"anyOf": [DIFFERENCES, {"type": "null"}]},
    },
}
READ_FORM["required"] = list(READ_FORM["properties"])
PAYSLIP: JsonSchema = {
    **PAYSLIP_WITH_DATA_SCHEMA,
    "title": "PayslipInRun",
    "required": [*PAYSLIP_WITH_DATA_SCHEMA["required"], "employee_id", "data"],
    "properties": {**PAYSLIP_WITH_DATA_SCHEMA["properties"], "employee_id": json_schemas.IDENTIFIER},
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
    "corrects": None,
    "posted_to_accounting_system": False,
    "state": "open",
    "finalised_at": None,
    "payment_date": "2026-01-31",
    "paid_at": None,
    "paid_by": None,
    "external_id": None,
    "metadata": {},
}
READ_EXAMPLE: dict[str, Any] = {
    **LIST_EXAMPLE,
    "finalised": False,
    "released": False,
    "counts": {"payslips": 1, "calculated": 1, "dirty": 0, "attention": 0},
    "progress": 100,
    "differences": None,
}
PAYSLIP_EXAMPLE: dict[str, Any] = {
    **PAYSLIP_LIST_EXAMPLE,
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
