"""What filings look like in an answer."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.documents.schemas import AMOUNT, COUNT, FILE, FILE_EXAMPLE

FILING: JsonSchema = {
    "type": "object",
    "title": "Filing",
    "properties": {
        "name": {"enum": ["cpf"], "description": "The last word of the path that downloads it."},
        "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
        "employees": COUNT | {"description": "For how many anything is paid."},
        "payments": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["payment_code", "name", "amount", "employees"],
                "properties": {
                    "payment_code": {"type": "string", "pattern": "^[0-9]{2}$"},
                    "name": {"type": "string"},
                    "amount": AMOUNT,
                    "employees": COUNT,
                },
            },
        },
        **FILE,
    },
}
FILING["required"] = list(FILING["properties"])

EXAMPLE: dict[str, Any] = {
    "name": "cpf",
    "month": "2026-01",
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
}
