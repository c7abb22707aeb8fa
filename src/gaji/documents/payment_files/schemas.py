"""Response schema for payment files."""

from typing import Any

from gaji.approvals.schemas import STATUSES
from gaji.core.field_types import JsonSchema
from gaji.documents.certainty import CERTAINTY, TWO_SOURCES
from gaji.documents.downloads import DOWNLOAD_EXAMPLE, DOWNLOAD_PROPERTIES
from gaji.documents.schemas import AMOUNT, COUNT, FILE, FILE_EXAMPLE

IDENTIFIER: JsonSchema = {"type": "integer", "minimum": 1}
DOWNLOADED_FILE: JsonSchema = {
    "id": IDENTIFIER,
    "file_name": {"type": "string"},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "payments": COUNT,
    "total": AMOUNT,
    "value_date": {
        "type": ["string", "null"],
        "format": "date",
        "description": "The date of the payments. Null if they have several dates, and for files of version 0.1.0.",
    },
    **DOWNLOAD_PROPERTIES,
}
CHANGE: JsonSchema = {
    "payslip_id": IDENTIFIER,
    "employee_id": IDENTIFIER,
    "downloaded": AMOUNT | {"description": "The amount in the last downloaded file."},
    "current": AMOUNT,
    "difference": AMOUNT,
}
PAYMENT_FILE: JsonSchema = {
    "type": "object",
    "title": "PaymentFile",
    "properties": {
        "name": {"type": "string", "description": "The last segment of the download path."},
        "bank": {"type": ["string", "null"]},
        "description": {"type": "string"},
        "certainty": CERTAINTY,
        "payments": COUNT,
        "paynow": COUNT | {"description": "Payments to PayNow numbers. Check the names that the bank shows for them."},
        "pay_dates": {"type": "array", "items": {"type": "string", "format": "date"}},
        "methods": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["payment_method", "payments", "total"],
                "properties": {"payment_method": {"type": "string"}, "payments": COUNT, "total": AMOUNT},
            },
        },
        "withheld": {
            "type": "array",
            "description": "Payments that are withheld for tax clearance and have not been released.",
            "items": {
                "type": "object",
                "required": ["payslip_id", "employee_id", "amount"],
                "properties": {"payslip_id": IDENTIFIER, "employee_id": IDENTIFIER, "amount": AMOUNT},
            },
        },
        **FILE,
        "downloads": {
            "type": "array",
            "description": "The files that were downloaded, in order.",
            "items": {"type": "object", "required": list(DOWNLOADED_FILE), "properties": DOWNLOADED_FILE},
        },
        "changes": {
            "type": "array",
            "description": "Payments whose amount differs from the last downloaded file.",
            "items": {"type": "object", "required": list(CHANGE), "properties": CHANGE},
        },
        "warnings": {
            "type": "array",
            "description": "What is unusual about the dates of the payments, such as a date after the legal deadline.",
            "items": {"type": "string"},
        },
    },
}
PAYMENT_FILE["required"] = list(PAYMENT_FILE["properties"])
PAYMENT_FILE["properties"]["approval"] = {
    "type": ["object", "null"],
    "description": "Only if the client requires approval: the approval of just this content, or null if there is none.",
    "required": ["id", "status"],
    "properties": {"id": IDENTIFIER, "status": STATUSES.json_schema()},
}

EXAMPLE: dict[str, Any] = {
    "name": "dbs_giro.csv",
    "bank": "DBS",
    "description": "Payments by GIRO from an account with DBS (IDEAL UFF 1.9.3, BPY)",
    "certainty": TWO_SOURCES.to_json(),
    "payments": 1,
    "paynow": 0,
    "pay_dates": ["2026-01-31"],
    "methods": [{"payment_method": "eft_manual", "payments": 1, "total": 3358.5}],
    "withheld": [],
    **FILE_EXAMPLE,
    "downloads": [
        {
            "id": 1,
            "file_name": "dbs_giro_3.csv",
            "sha256": "0b1c5e7f3a9d2846" * 4,
            "payments": 1,
            "total": 3358.5,
            "value_date": "2026-01-30",
            **DOWNLOAD_EXAMPLE,
        }
    ],
    "changes": [],
    "warnings": [],
}
