"""Schemas of retention periods."""

from typing import Any

import msgspec

from gaji.core.field_types import Boolean, Integer, JsonSchema
from gaji.core.validation import Attribute, Schema
from gaji.privacy.retention_periods import (
    MIN_CERTIFICATE_YEARS,
    MIN_TAX_YEARS,
    MIN_YEARS_AFTER_LEAVING,
    RetentionPeriods,
)

MAX_YEARS = 100


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long the records of a client are kept, in years, and whether a task enforces it."""

    enabled: bool = False
    years_after_leaving: int = MIN_YEARS_AFTER_LEAVING
    tax_years: int = MIN_TAX_YEARS
    certificate_years: int = MIN_CERTIFICATE_YEARS

    @property
    def periods(self) -> RetentionPeriods:
        """The periods."""
        return RetentionPeriods(self.years_after_leaving, self.tax_years, self.certificate_years)


RETENTION = Schema(
    "retention",
    (
        Attribute(
            "enabled", Boolean(), "Erase and delete records every night when their periods have ended.", default=False
        ),
        Attribute(
            "years_after_leaving",
            Integer(MIN_YEARS_AFTER_LEAVING, MAX_YEARS),
            "Years after the last day of service until a former employee is erased.",
            default=MIN_YEARS_AFTER_LEAVING,
            example=3,
        ),
        Attribute(
            "tax_years",
            Integer(MIN_TAX_YEARS, MAX_YEARS),
            "Years from the latest year of assessment of an employee's pay until they are erased.",
            default=MIN_TAX_YEARS,
            example=7,
        ),
        Attribute(
            "certificate_years",
            Integer(MIN_CERTIFICATE_YEARS, MAX_YEARS),
            "Years after which files of medical certificates are deleted.",
            default=MIN_CERTIFICATE_YEARS,
            example=3,
        ),
    ),
    read_only=(),
    struct=RetentionSettings,
)
DUE: JsonSchema = {
    "type": "array",
    "description": "What has reached the end of its period, by kind, whether or not a task enforces it.",
    "items": {
        "type": "object",
        "title": "RetentionDue",
        "required": ["kind", "records", "oldest"],
        "properties": {
            "kind": {"enum": ["former_employees", "medical_certificates"]},
            "records": {"type": "integer", "minimum": 0},
            "oldest": {
                "type": ["string", "null"],
                "format": "date",
                "description": "The earliest last day of service, or day of upload.",
            },
        },
    },
}
RETENTION_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "Retention",
    "required": [*(attribute.name for attribute in RETENTION.attributes), "enforced_at", "due"],
    "properties": {
        **{
            attribute.name: {**attribute.type.json_schema(), "description": attribute.description}
            for attribute in RETENTION.attributes
        },
        "enforced_at": {
            "type": ["string", "null"],
            "format": "date-time",
            "description": "When the task last finished for this client.",
        },
        "due": DUE,
    },
}
EXAMPLE: dict[str, Any] = {
    **msgspec.to_builtins(RetentionSettings()),
    "enforced_at": None,
    "due": [
        {"kind": "former_employees", "records": 3, "oldest": "2017-06-30"},
        {"kind": "medical_certificates", "records": 0, "oldest": None},
    ],
}
