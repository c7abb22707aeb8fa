"""Request parsing and response schema for filings."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.core.validation import Integer, JsonSchema
from gaji.documents.schemas import AMOUNT, COUNT, FILE, FILE_EXAMPLE
from gaji.law.months import Month

ADVICE_CODE = "advice_code"
FIRST_ADVICE, LAST_ADVICE = 1, 99

NOT_A_MONTH = ErrorCode("not_a_month", "must be a month such as 2026-01")

FILING: JsonSchema = {
    "type": "object",
    "title": "Filing",
    "properties": {
        "name": {"enum": ["cpf"], "description": "The last segment of the download path."},
        "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
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


def parse_filing_query(month_text: str, query: Mapping[str, Sequence[str]]) -> tuple[Month, int]:
    """Parse the month in the path and the advice code in the query. Raises ValidationError with every error."""
    errors = Errors()
    advice_code = FIRST_ADVICE
    if ADVICE_CODE in query:
        advice_code = Integer(FIRST_ADVICE, LAST_ADVICE).parse(query[ADVICE_CODE][-1], ADVICE_CODE, errors) or 0
    try:
        month = Month.parse(month_text)
    except ValueError:
        errors.add("month", NOT_A_MONTH)
    if errors:
        raise ValidationError(errors)
    return month, advice_code
