"""Request and response schemas of waves."""

from datetime import date
from typing import Any

import msgspec

from gaji.company.waves.pay_dates import PayDates
from gaji.company.waves.rules import FIXED_WHEN, check_pay_dates, check_schedule
from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.field_types import Boolean, DateType, Integer, JsonSchema, OneOf, Text
from gaji.core.validation import Attribute, Group, Schema, when
from gaji.engine.periods import Frequency, PaySchedule, schedule_from_first_end


class WaveInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a wave."""

    frequency: Frequency
    interim_day_of_month: int | None
    last_day_of_month: int | None
    first_end_date: date
    custom_name: str | None
    pay_dates: PayDates | None

    @property
    def schedule(self) -> PaySchedule:
        """The end dates of the wave's periods."""
        return schedule_from_first_end(
            self.frequency, self.first_end_date, self.last_day_of_month, self.interim_day_of_month
        )


DAY_OF_MONTH = Integer(minimum=1, maximum=31)
ENABLED = when("enabled", True)
RELATIVE = when("type", "relative")
FIXED = when("type", "fixed")

PAY_DATES = Group(
    (
        Attribute("enabled", Boolean(), "Whether payslips are paid on these dates.", required=True, example=True),
        Attribute(
            "type",
            one_of("pay_date_type"),
            "`relative` to the period end, or a `fixed` day of the month. Weekly and fortnightly waves are `relative`.",
            required_if=ENABLED,
            example="relative",
        ),
        Attribute(
            "days_offset",
            Integer(minimum=0, maximum=366),
            "Days between the period end and the pay date.",
            required_if=RELATIVE,
            only_if=RELATIVE,
            example=3,
        ),
        Attribute(
            "when",
            one_of("pay_date_when"),
            "Relative: `before` or `after` the period end. Fixed: in the `previous`, `current` or `next` month.",
            required_if=ENABLED,
            example="after",
        ),
        Attribute("day", DAY_OF_MONTH, "Day of the month.", required_if=FIXED, only_if=FIXED),
        Attribute("interim_day", DAY_OF_MONTH, "`day` for the interim period of a twice-a-month wave.", only_if=FIXED),
        Attribute(
            "interim_when",
            OneOf(FIXED_WHEN, "pay_date_when", title="FixedPayDateWhen"),
            "`when` for the interim period of a twice-a-month wave.",
            only_if=FIXED,
        ),
        Attribute(
            "non_working_day",
            one_of("non_working_day"),
            "Where a pay date on a Saturday, a Sunday or a public holiday moves to. Default: `keep`.",
        ),
    ),
    struct=PayDates,
)

WAVE = Schema(
    "wave",
    (
        Attribute("frequency", one_of("frequency"), "Pay frequency.", required=True, example="monthly"),
        Attribute(
            "interim_day_of_month",
            DAY_OF_MONTH,
            "Last day of the interim period. 29 to 31 mean the last day of a shorter month.",
            required_if=when("frequency", "twice_a_month"),
        ),
        Attribute(
            "last_day_of_month",
            DAY_OF_MONTH,
            "Last day of the period. 29 to 31 mean the last day of a shorter month.",
            required_if=when("frequency", "monthly", "twice_a_month"),
            example=31,
        ),
        Attribute("first_end_date", DateType(), "End of the first period.", required=True, example="2026-01-31"),
        Attribute(
            "custom_name",
            Text(min_length=1),
            "A custom name. Only if the client has the feature `custom_wave_names`.",
        ),
        Attribute("pay_dates", PAY_DATES, "When payslips are paid. Only if the client has the feature `pay_dates`."),
    ),
    read_only=(
        "id",
        "client_id",
        "created_at",
        "updated_at",
        "name",
        "length_months",
        "length_weeks",
        "first_period_offset",
        "interim_first_end_date",
        "notification_days_before",
        "finalisation_days_before",
        "payslip_payment_day",
    ),
    rules=(check_schedule, check_pay_dates),
    struct=WaveInput,
)

DATE: JsonSchema = {"type": "string", "format": "date"}
NULLABLE_DATE: JsonSchema = {"type": ["string", "null"], "format": "date"}
NULLABLE_INTEGER: JsonSchema = {"type": ["integer", "null"]}
PAY_DATES_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "WavePayDates",
    "required": ["enabled"],
    "properties": {
        "enabled": {"type": "boolean"},
        **{
            attribute.name: attribute.type.json_schema()
            for attribute in PAY_DATES.attributes
            if attribute.name != "enabled"
        },
    },
}
COMMON_PROPERTIES: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "first_end_date": DATE | {"description": "Normalised to January 2008."},
    "client_id": json_schemas.IDENTIFIER,
    "interim_first_end_date": NULLABLE_DATE | {"description": "Normalised to January 2008. Only for twice_a_month."},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
    "custom_name": {"type": ["string", "null"]},
    "pay_dates": PAY_DATES_SCHEMA,
    "name": {"type": "string", "description": "Description of the schedule."},
}
FULL_PROPERTIES: JsonSchema = {
    **COMMON_PROPERTIES,
    "length_months": {"type": "integer"},
    "length_weeks": {"type": "integer"},
    "first_period_offset": {
        "type": "integer",
        "description": "Number of periods from the normalised first end date to the first end date.",
    },
    "notification_days_before": NULLABLE_INTEGER,
    "finalisation_days_before": NULLABLE_INTEGER,
    "payslip_payment_day": NULLABLE_INTEGER,
}
SIMPLIFIED_PROPERTIES: JsonSchema = {
    **COMMON_PROPERTIES,
    "frequency": one_of("frequency").json_schema(),
}
WAVE_SCHEMA: JsonSchema = {
    "title": "AnyWave",
    "anyOf": [
        {
            "type": "object",
            "title": title,
            "required": list(properties),
            "properties": properties,
            "additionalProperties": False,
        }
        for title, properties in (("Wave", FULL_PROPERTIES), ("SimplifiedWave", SIMPLIFIED_PROPERTIES))
    ],
}
WAVE_EXAMPLE: dict[str, Any] = {
    "id": 2,
    "length_months": 1,
    "length_weeks": 0,
    "first_end_date": "2008-01-31",
    "first_period_offset": 216,
    "notification_days_before": None,
    "finalisation_days_before": None,
    "payslip_payment_day": None,
    "client_id": 1,
    "interim_first_end_date": None,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
    "custom_name": None,
    "pay_dates": {"enabled": False},
    "name": "Monthly, ending on the last day",
}
