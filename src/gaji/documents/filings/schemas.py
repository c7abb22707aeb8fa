"""Request parsing and response schema for filings."""

from dataclasses import dataclass
from typing import Any

from gaji.core import json_schemas
from gaji.core.error_codes import NOT_A_MONTH
from gaji.core.errors import Errors
from gaji.core.field_types import JsonSchema
from gaji.documents.certainty import CERTAINTY, CPF_FILE
from gaji.documents.downloads import DOWNLOAD_EXAMPLE, DOWNLOAD_PROPERTIES
from gaji.documents.schemas import AMOUNT, COUNT, FILE, FILE_EXAMPLE
from gaji.law.months import Month

ADVICE_CODE = "advice_code"
FIRST_ADVICE, LAST_ADVICE = 1, 99


MONTH_SCHEMA: JsonSchema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}
CODE: JsonSchema = {"type": "string", "pattern": "^[0-9]{2}$"}
EMPLOYEE_ID: JsonSchema = {
    "type": ["integer", "null"],
    "description": "Null for the skills development levy, which is paid for all employees together.",
}


def _array(properties: JsonSchema, description: str) -> JsonSchema:
    items = {"type": "object", "required": list(properties), "properties": properties}
    return {"type": "array", "description": description, "items": items}


SUBMISSION_PROPERTIES: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "advice_code": {"type": "integer", "minimum": FIRST_ADVICE, "maximum": LAST_ADVICE},
    "file_name": {"type": "string"},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "employees": COUNT,
    "total": AMOUNT,
    **DOWNLOAD_PROPERTIES,
}
COMPARED: JsonSchema = {"submitted": AMOUNT, "current": AMOUNT, "difference": AMOUNT}
CPF_FILING: JsonSchema = {
    "type": "object",
    "title": "CpfFiling",
    "properties": {
        "name": {"const": "cpf", "description": "The last segment of the download path."},
        "month": MONTH_SCHEMA,
        "due_date": {
            "type": "string",
            "format": "date",
            "description": "When it is due: the 14th of the next month, or the next working day.",
        },
        "late_interest": AMOUNT
        | {
            "description": "The interest on the CPF contributions in the file if they are paid today. 0 until the due "
            "date, and if the file was downloaded."
        },
        "state": {
            "enum": ["not_submitted", "submitted", "changed"],
            "description": "`changed`: amounts differ from what was submitted.",
        },
        "advice_code": SUBMISSION_PROPERTIES["advice_code"] | {"description": "The advice code of the file."},
        "certainty": CERTAINTY,
        "employees": COUNT | {"description": "The number of employees with a payment in the file."},
        "payments": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["payment_code", "name", "amount", "employees"],
                "properties": {
                    "payment_code": CODE,
                    "name": {"type": "string"},
                    "amount": AMOUNT,
                    "employees": COUNT,
                },
            },
        },
        **FILE,
        "comparison": _array(
            {"payment_code": CODE, "name": {"type": "string"}, **COMPARED},
            "What was submitted and what is payable now, by kind of payment.",
        ),
        "submitted": AMOUNT | {"description": "The total of all submissions."},
        "current": AMOUNT | {"description": "The total that is payable for the month."},
        "difference": AMOUNT,
        "changes": _array(
            {"payment_code": CODE, "name": {"type": "string"}, "employee_id": EMPLOYEE_ID, **COMPARED},
            "Amounts of employees that differ from what was submitted. Empty if nothing was submitted.",
        ),
        "refunds": _array(
            {"payment_code": CODE, "name": {"type": "string"}, "employee_id": EMPLOYEE_ID, "amount": AMOUNT},
            "What was overpaid. The file cannot have it: apply for a refund.",
        ),
        "submissions": _array(SUBMISSION_PROPERTIES, "The files that were downloaded, in order."),
        "payable_separately": _array(
            {
                "payment_code": CODE,
                "name": {"type": "string"},
                "employee_id": json_schemas.IDENTIFIER,
                "amount": AMOUNT,
            },
            "Amounts that are not in the file, because it refuses the identity number of the employee.",
        ),
        "open_draft_count": COUNT
        | {"description": "Drafts of periods with days of the month that are in no payment run."},
        "open_drafts": {
            **_array(
                {
                    "payslip_id": json_schemas.IDENTIFIER,
                    "employee_id": json_schemas.IDENTIFIER,
                    "date": {"type": "string", "format": "date"},
                },
                "The first of these drafts. What they pay is not in the file.",
            ),
            "maxItems": 100,
        },
        "open_periods": _array(
            {
                "wave_id": json_schemas.IDENTIFIER,
                "period_end_date": {"type": "string", "format": "date"},
                "payment_run_id": json_schemas.IDENTIFIER
                | {"type": ["integer", "null"], "description": "Null if no run was opened."},
                "payslips": COUNT,
            },
            "Pay periods that are not finalised and start in the month or before. What they pay is not in the file.",
        ),
    },
}
CPF_FILING["required"] = list(CPF_FILING["properties"])
LEVY_FILING: JsonSchema = {
    "type": "object",
    "title": "LevyFiling",
    "description": "The foreign worker levy. It has no file.",
    "properties": {
        "name": {"const": "foreign_worker_levy"},
        "month": MONTH_SCHEMA,
        "due_date": {
            "type": "string",
            "format": "date",
            "description": "When it is due: the 17th of the next month, or the next working day.",
        },
        "payable_to": {"type": "string"},
        "employees": COUNT,
        "total": AMOUNT,
        "amounts": _array({"employee_id": json_schemas.IDENTIFIER, "amount": AMOUNT}, "The levy by employee."),
    },
}
LEVY_FILING["required"] = list(LEVY_FILING["properties"])
FILING: JsonSchema = {"anyOf": [CPF_FILING, LEVY_FILING]}

EXAMPLE: dict[str, Any] = {
    "name": "cpf",
    "month": "2026-01",
    "due_date": "2026-02-16",
    "late_interest": 0,
    "state": "submitted",
    "advice_code": 1,
    "certainty": CPF_FILE.to_json(),
    "employees": 1,
    "payments": [
        {"payment_code": "01", "name": "CPF", "amount": 1554.0, "employees": 1},
        {"payment_code": "04", "name": "CDAC", "amount": 1.5, "employees": 1},
        {"payment_code": "11", "name": "Skills development levy", "amount": 10.0, "employees": 1},
    ],
    **FILE_EXAMPLE,
    "file_name": "202699999EPTE01JAN202601.DTL",
    "media_type": "text/plain",
    "total": 1565.5,
    "bytes": 1064,
    "comparison": [
        {"payment_code": "01", "name": "CPF", "submitted": 1554.0, "current": 1554.0, "difference": 0.0},
        {"payment_code": "04", "name": "CDAC", "submitted": 1.5, "current": 1.5, "difference": 0.0},
        {
            "payment_code": "11",
            "name": "Skills development levy",
            "submitted": 10.0,
            "current": 10.0,
            "difference": 0.0,
        },
    ],
    "submitted": 1565.5,
    "current": 1565.5,
    "difference": 0.0,
    "changes": [],
    "refunds": [],
    "submissions": [
        {
            "id": 1,
            "advice_code": 1,
            "file_name": "202699999EPTE01JAN202601.DTL",
            "sha256": "0b1c5e7f3a9d2846" * 4,
            "employees": 1,
            "total": 1565.5,
            **DOWNLOAD_EXAMPLE,
        }
    ],
    "payable_separately": [{"payment_code": "02", "name": "MBMF", "employee_id": 14, "amount": 4.5}],
    "open_draft_count": 0,
    "open_drafts": [],
    "open_periods": [],
}
LEVY_EXAMPLE: dict[str, Any] = {
    "name": "foreign_worker_levy",
    "month": "2026-01",
    "due_date": "2026-02-19",
    "payable_to": "Ministry of Manpower",
    "employees": 1,
    "total": 450.0,
    "amounts": [{"employee_id": 14, "amount": 450.0}],
}


@dataclass(frozen=True)
class FilingMonth:
    """A calendar month, `YYYY-MM`."""

    def parse(self, value: object, path: str, errors: Errors) -> Month | None:
        try:
            return Month.parse(str(value))
        except ValueError:
            errors.add(path, NOT_A_MONTH)
            return None

    def json_schema(self) -> JsonSchema:
        return {**MONTH_SCHEMA, "examples": ["2026-01"]}
