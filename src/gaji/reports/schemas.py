"""Request and response schemas for reports."""

from typing import Any

from gaji.core.field_types import JsonSchema, pascal_case
from gaji.reports.registry import REPORTS
from gaji.reports.request_fields import LIST_TYPES
from gaji.web.query_parameters import QueryParameter

DAYS: JsonSchema = {"type": "number"}
TEXT: JsonSchema = {"type": "string"}
NULLABLE_TEXT: JsonSchema = {"type": ["string", "null"]}
DATE: JsonSchema = {"type": "string", "format": "date"}
NULLABLE_DATE: JsonSchema = {"type": ["string", "null"], "format": "date"}
MONTH: JsonSchema = {"type": "string", "pattern": r"^\d{4}-\d{2}$"}
AMOUNT: JsonSchema = {"type": ["number", "string"], "description": "Text such as `$1,234.50` with `humanize`."}
NULLABLE_AMOUNT: JsonSchema = {**AMOUNT, "type": ["number", "string", "null"]}


def _row(report_id: str, properties: JsonSchema, **keywords: Any) -> JsonSchema:
    """Return the schema of the rows of a report."""
    properties = {"employee": TEXT | {"description": "The employee number."}, **properties}
    title = f"{pascal_case(report_id)}Row"
    return {"type": "object", "title": title, "required": list(properties), "properties": properties, **keywords}


ROWS: JsonSchema = {
    "type": "array",
    "items": {
        "title": "ReportRow",
        "anyOf": [
            _row(
                "variance",
                {
                    "Type": TEXT,
                    "Transaction": {
                        "type": "object",
                        "title": "VarianceTransaction",
                        "required": ["name", "caption"],
                        "properties": {"name": TEXT, "caption": TEXT, "calculation_def_id": {"type": "integer"}},
                    },
                    **dict.fromkeys(("Previous", "Selected", "Variance"), AMOUNT),
                },
            ),
            _row(
                "comparison_leave",
                {
                    "leave_type": TEXT,
                    "Date": DATE,
                    "Accrual": DAYS,
                    "Entitlement": {"type": ["number", "null"]},
                    **dict.fromkeys(("Taken", "Adjustment", "Balance"), DAYS),
                },
            ),
            _row("leave_liability_v2", {"Days": DAYS, "Daily Rate": AMOUNT, "Liability": AMOUNT}),
            _row("tracked_balances", dict.fromkeys(("Loans", "Savings", "Garnishees"), AMOUNT)),
            _row(
                "employee_tax_incentive",
                {
                    "Month": MONTH,
                    "Scheme": NULLABLE_TEXT,
                    "Wage": AMOUNT,
                    "Rate": NULLABLE_TEXT,
                    "Estimate": NULLABLE_AMOUNT,
                    **dict.fromkeys(("Reason", "Calculation", "Rule"), NULLABLE_TEXT),
                    "Effective From": DATE,
                    "Source": NULLABLE_TEXT,
                    "Certainty": TEXT,
                },
            ),
            _row(
                "government_paid_leave",
                {
                    "Leave": TEXT,
                    "Child": NULLABLE_DATE,
                    "Month": MONTH,
                    **dict.fromkeys(("From", "To"), DATE),
                    "Days": DAYS,
                    **dict.fromkeys(
                        ("Daily Rate", "Gross Pay", "Employer CPF", "Cap", "Cap Used", "Claim"), NULLABLE_AMOUNT
                    ),
                    "Claim By": NULLABLE_DATE,
                    **dict.fromkeys(("Reason", "Calculation", "Source", "Certainty"), NULLABLE_TEXT),
                },
            ),
            _row(
                "transaction_history",
                {"Date": DATE},
                additionalProperties={"type": ["number", "string", "boolean", "null"]},
                description="One more key for each selected account and field.",
            ),
        ],
    },
}
REPORT_ID: JsonSchema = {"title": "ReportId", "type": "string", "enum": list(REPORTS)}
ROWS_EXAMPLE: list[dict[str, Any]] = [
    {"employee": "0001", "Date": "2026-01-31", "Basic salary": 4200.0, "Nett pay": 3358.5, "First name": "Mei Ling"}
]
REQUEST: JsonSchema = {
    "title": "ReportRequest",
    "anyOf": [{**report.json_schema(), "title": f"{pascal_case(report.id)}Request"} for report in REPORTS.values()],
    "examples": [
        {"start_date": "2026-01-01", "end_date": "2026-03-31", "account_names": ["Basic salary", "Nett pay"]},
    ],
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
            "title": "ReportDescription",
            "required": ["id", "description", "beta", "request"],
            "properties": {
                "id": REPORT_ID,
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
