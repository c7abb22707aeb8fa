"""Request parsing and response schema for filings."""

from dataclasses import dataclass
from typing import Any

from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import JsonSchema
from gaji.documents.schemas import AMOUNT, COUNT, FILE, FILE_EXAMPLE
from gaji.law.months import Month

ADVICE_CODE = "advice_code"
FIRST_ADVICE, LAST_ADVICE = 1, 99

NOT_A_MONTH = ErrorCode("not_a_month", "must be a month such as 2026-01")

MONTH_SCHEMA: JsonSchema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}
FILING: JsonSchema = {
    "type": "object",
    "title": "Filing",
    "properties": {
        "name": {"enum": ["cpf"], "description": "The last segment of the download path."},
        "month": MONTH_SCHEMA,
        "due_date": {
            "type": "string",
            "format": "date",
            "description": "When it is due: the 14th of the next month, or the next working day.",
        },
        "employees": COUNT | {"description": "The number of employees with a payment."},
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
    "due_date": "2026-02-16",
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
