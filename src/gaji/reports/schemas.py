"""Request and response schemas for reports."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.reports.registry import REPORTS
from gaji.reports.request_fields import LIST_TYPES
from gaji.web.query_parameters import QueryParameter

ROW: JsonSchema = {
    "type": "object",
    "title": "ReportRow",
    "required": ["employee"],
    "properties": {"employee": {"type": "string", "description": "The employee number."}},
}
ROWS: JsonSchema = {"type": "array", "items": ROW}
ROWS_EXAMPLE: list[dict[str, Any]] = [
    {"employee": "0001", "Date": "2026-01-31", "Basic salary": 4200.0, "Nett pay": 3358.5, "First name": "Mei Ling"}
]
REQUEST: JsonSchema = {
    "title": "ReportRequest",
    "anyOf": [report.json_schema() for report in REPORTS.values()],
    "examples": [
        {"start_date": "2026-01-01", "end_date": "2026-03-31", "account_names": ["Basic salary", "Nett pay"]},
    ],
}
STARTED: JsonSchema = {
    "type": "object",
    "required": ["message", "uuid"],
    "properties": {"message": {"type": "string"}, "uuid": {"type": "string", "format": "uuid"}},
    "examples": [{"message": "Started", "uuid": "5f0b1d3c-6a3e-4a52-9d0c-1f3b7c9d2e4a"}],
}
NAMES: JsonSchema = {"type": "array", "items": {"type": "string"}}
PERIOD: JsonSchema = {
    "type": "object",
    "required": ["period_offset", "period_end_date"],
    "properties": {
        "period_offset": {"type": "integer"},
        "period_end_date": {"type": "string", "format": "date"},
    },
}
_DISCOVERY: JsonSchema = {
    "reports": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["id", "description", "beta", "request"],
            "properties": {
                "id": {"type": "string"},
                "description": {"type": "string"},
                "beta": {"type": "boolean"},
                "request": {"type": "object", "description": "The JSON Schema of the request fields."},
            },
        },
    },
    "account_names": NAMES | {"description": "The possible values of `account_names`."},
    "custom_fields": NAMES | {"description": "The possible values of `custom_fields`."},
    "waves": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["wave_id", "name", "period_offsets"],
            "properties": {
                "wave_id": {"type": "integer"},
                "name": {"type": "string"},
                "period_offsets": {"type": "array", "items": PERIOD},
            },
        },
    },
}
DISCOVERY: JsonSchema = {
    "type": "object",
    "title": "Reports",
    "required": list(_DISCOVERY),
    "properties": _DISCOVERY,
}
DISCOVERY_EXAMPLE: dict[str, Any] = {
    "reports": [
        {
            "id": "tracked_balances",
            "description": "Loans, savings and garnishees on a date.",
            "beta": True,
            "request": {
                "type": "object",
                "required": ["date"],
                "properties": {"date": {"type": "string", "format": "date"}},
            },
        }
    ],
    "account_names": ["Basic salary", "Transport allowance", "Nett pay"],
    "custom_fields": ["first_name", "last_name", "pay_point_id", "appointment_date", "Shirt size"],
    "waves": [
        {
            "wave_id": 1,
            "name": "Monthly, ending on the last day",
            "period_offsets": [{"period_offset": 216, "period_end_date": "2026-01-31"}],
        }
    ],
}


def query_parameters() -> list[QueryParameter]:
    """Return the fields of all reports as query parameters, each with the reports that have it."""
    attributes = {attribute.name: attribute for report in REPORTS.values() for attribute in report.attributes}
    return [
        QueryParameter(
            attribute.name,
            attribute.type,
            f"{attribute.description} {_reports_with(attribute.name)}".strip(),
            repeatable=isinstance(attribute.type, LIST_TYPES),
        )
        for attribute in attributes.values()
    ]


def _reports_with(field: str) -> str:
    names = [report.id for report in REPORTS.values() if field in (attribute.name for attribute in report.attributes)]
    return "" if len(names) == len(REPORTS) else f"For {', '.join(f'`{name}`' for name in names)}."
