"""Request and response schemas of share gains."""

from datetime import date
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.amounts import DecimalNumber
from gaji.core.constants import one_of
from gaji.core.field_types import Boolean, DateType, JsonSchema, Text
from gaji.core.validation import Attribute, Schema, when
from gaji.law.share_gains import ShareGain, SharePlan
from gaji.people.share_gains.rules import check_gain

PRICE = DecimalNumber(maximum=999_999_999, decimals=5)
"""Prices and numbers of shares, as the tax authority takes them."""
OPTION, AWARD = when("plan", "option"), when("plan", "award")


class ShareGainInput(msgspec.Struct, frozen=True, kw_only=True):
    """A share gain as a caller writes it."""

    plan: str
    company_name: str
    company_number: str | None = None
    grant_date: date
    exercise_date: date | None = None
    vesting_date: date | None = None
    restriction_end_date: date | None = None
    deemed: bool = False
    market_value: str
    price: str
    shares: str

    @property
    def gain(self) -> ShareGain:
        """The gain as the law values it."""
        return ShareGain(
            plan=SharePlan(self.plan),
            grant_date=self.grant_date,
            market_value=self.market_value,
            price=self.price,
            shares=self.shares,
            exercise_date=self.exercise_date,
            vesting_date=self.vesting_date,
            restriction_end_date=self.restriction_end_date,
            is_deemed=self.deemed,
        )


SHARE_GAIN = Schema(
    "share_gain",
    (
        Attribute("plan", one_of("share_plan"), "Option or award.", required=True, example="option"),
        Attribute(
            "company_name",
            Text(min_length=1, max_length=200),
            "The company whose shares they are.",
            required=True,
            example="Merlion Holdings Ltd",
        ),
        Attribute(
            "company_number",
            Text(min_length=1, max_length=30),
            "The registration number of that company.",
            example="201012345A",
        ),
        Attribute("grant_date", DateType(), "The date of the grant.", required=True, example="2024-03-01"),
        Attribute(
            "exercise_date",
            DateType(),
            "The date of the exercise. For a foreigner who leaves: the date on which it counts as exercised.",
            required_if=OPTION,
            only_if=OPTION,
            example="2026-08-15",
        ),
        Attribute("vesting_date", DateType(), "The date of vesting. Default: it vests with the grant.", only_if=AWARD),
        Attribute("restriction_end_date", DateType(), "The last day of a selling restriction."),
        Attribute(
            "deemed",
            Boolean(),
            "Whether it counts as exercised or vested because a foreigner leaves. It is then on form IR21.",
            default=False,
        ),
        Attribute(
            "market_value", PRICE, "The value of a share on the day of the gain, in SGD.", required=True, example="10"
        ),
        Attribute("price", PRICE, "The price that the employee paid for a share, in SGD.", required=True, example="5"),
        Attribute("shares", PRICE, "The number of shares.", required=True, example="100"),
    ),
    rules=(check_gain,),
    read_only=(
        *("id", "employee_id", "income_date", "gain", "section", "rule", "arithmetic", "created_at", "updated_at"),
    ),
    struct=ShareGainInput,
)

_DATE: JsonSchema = {"type": "string", "format": "date"}
_TYPES: dict[str, JsonSchema] = {"deemed": {"type": "boolean"}}
_READ_PROPERTIES: dict[str, JsonSchema] = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    **{
        attribute.name: _TYPES.get(attribute.name, {"type": ["string", "null"]})
        | {"description": attribute.description}
        for attribute in SHARE_GAIN.attributes
    },
    "income_date": _DATE | {"description": "The day that gives the year of income."},
    "gain": {"type": "string", "pattern": r"^\d+\.\d{2}$"},
    "section": {"type": "string", "description": "The section of the Income Tax Act."},
    "rule": {"type": "string"},
    "arithmetic": {"type": "array", "items": {"type": "string"}},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
}
ELEMENT: JsonSchema = {
    "type": "object",
    "title": "ShareGain",
    "required": list(_READ_PROPERTIES),
    "properties": _READ_PROPERTIES,
}
EXAMPLE: dict[str, Any] = {
    "id": 3,
    "employee_id": 12,
    **{attribute.name: attribute.example for attribute in SHARE_GAIN.attributes},
    "deemed": False,
    "income_date": "2026-08-15",
    "gain": "500.00",
    "section": "10(1)(b)",
    "rule": "The gain of an option is income of the year in which it is exercised.",
    "arithmetic": ["floor_cents(max(10 − 5, 0) × 100) = 500.00"],
    "created_at": "2026-12-01T09:00:00+08:00",
    "updated_at": "2026-12-01T09:00:00+08:00",
}


def to_api_values(data: ShareGainInput) -> dict[str, Any]:
    """Return a gain as the API returns and takes it."""
    return {attribute.name: getattr(data, attribute.key) for attribute in SHARE_GAIN.attributes}
