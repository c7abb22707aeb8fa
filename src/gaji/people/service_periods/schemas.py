"""Request and response schemas of service periods."""

from datetime import date

import msgspec

from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.field_types import Boolean, DateType, JsonSchema
from gaji.core.validation import Attribute, Schema


class TerminationInput(msgspec.Struct, frozen=True, kw_only=True):
    """The end of an employee's service."""

    termination_date: date
    termination_code: int
    ir21: bool
    notice_date: date
    ir21_filed_on: date | None = None


class ReinstatementInput(msgspec.Struct, frozen=True, kw_only=True):
    """The start of a new service of a former employee."""

    appointment_date: date


END_SERVICE = Schema(
    "employee_action",
    (
        Attribute("termination_date", DateType(), "Last day of service.", required=True, example="2026-03-31"),
        Attribute(
            "termination_code",
            one_of("termination_code"),
            "Reason, from the list `termination_code`.",
            required=True,
            example=1,
        ),
        Attribute(
            "ir21",
            Boolean(),
            "Whether an IR21 form is required. Default: false, or the recorded value.",
            default=False,
        ),
        Attribute(
            "notice_date",
            DateType(),
            "Day on which notice was given or received. With `ir21`, everything payable from this day on is withheld. "
            "Default: the day of recording, or the last day of service if that is earlier. A notice that is shorter "
            "than the law requires without an agreement gives a warning.",
            example="2026-03-01",
        ),
        Attribute(
            "ir21_filed_on",
            DateType(),
            "Day on which form IR21 was sent to the tax authority, not before the start of service. The form is then "
            "no longer due. Only with `ir21`.",
        ),
    ),
    read_only=(),
    struct=TerminationInput,
    title="TerminationInput",
)

REINSTATE = Schema(
    "employee_action",
    (Attribute("appointment_date", DateType(), "First day of the new service.", required=True, example="2026-05-01"),),
    read_only=(),
    struct=ReinstatementInput,
    title="ReinstatementInput",
)

PROPERTIES: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "start_date": {"type": "string", "format": "date"},
    "end_date": {"type": ["string", "null"], "format": "date"},
    "negative": {"const": False, "description": "Always false in Singapore."},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
    "attribs": {
        "type": ["object", "null"],
        "required": ["ir21"],
        "properties": {"ir21": {"type": "boolean", "description": "Whether an IR21 form is required."}},
        "description": "Details of the termination. Null while the period is open.",
    },
    "termination_code": {"type": ["integer", "null"], "description": "From the list `termination_code`."},
    "notice_date": {
        "type": ["string", "null"],
        "format": "date",
        "description": "Day on which notice was given or received. Null while the period is open, and for terminations "
        "recorded before there were notice dates.",
    },
    "ir21_filed_on": {
        "type": ["string", "null"],
        "format": "date",
        "description": "Day on which form IR21 was sent to the tax authority. Null if that is not recorded.",
    },
}
SERVICE_PERIOD_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "ServicePeriod",
    "required": list(PROPERTIES),
    "properties": PROPERTIES,
}
SERVICE_PERIOD_EXAMPLE = {
    "id": 5,
    "employee_id": 4,
    "start_date": "2024-02-01",
    "end_date": "2026-03-31",
    "negative": False,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-03-02T10:30:00.000000+08:00",
    "attribs": {"ir21": False},
    "termination_code": 1,
    "notice_date": "2026-03-01",
    "ir21_filed_on": None,
}
