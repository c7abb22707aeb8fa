"""Request and response schemas of benefits in kind."""

from datetime import date
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.amounts import NonNegativeAmount
from gaji.core.constants import one_of
from gaji.core.field_types import DateType, Integer, JsonSchema, Text
from gaji.core.validation import Attribute, Schema, when
from gaji.engine.money import decimal_text
from gaji.law.benefits_in_kind import Benefit, BenefitCategory, CarType, Furnishing
from gaji.people.benefits_in_kind.rules import check_benefit

MAX_SHARING = 1000
MAX_KILOMETRES = 1_000_000
MAX_COE_MONTHS = 120
AMOUNT_CATEGORIES = tuple(
    category.value for category in BenefitCategory if category not in (BenefitCategory.RESIDENCE, BenefitCategory.CAR)
)
BOUGHT = ("new", "second_hand", "over_ten_years", "coe_renewed")
WITH_COE = ("second_hand", "over_ten_years", "coe_renewed")
WITH_REBATE = ("new", "second_hand", "coe_renewed")
RESIDENCE, CAR, DRIVER = when("category", "residence"), when("category", "car"), when("category", "driver")
AMOUNTS = ("amount", "paid_by_employee", "rent", "annual_value", "cost", "parf_rebate", "rental", "running_costs")
"""Attributes that are amounts of money."""
EXAMPLE_AMOUNT = "30000.00"


class BenefitInput(msgspec.Struct, frozen=True, kw_only=True):
    """A benefit in kind as a caller writes it."""

    category: str
    provided_from: date
    provided_to: date
    description: str | None = None
    amount_cents: int | None = None
    paid_by_employee_cents: int | None = None
    address: str | None = None
    employees_sharing: int | None = None
    rent_cents: int | None = None
    annual_value_cents: int | None = None
    furnishing: str | None = None
    private_km: int | None = None
    total_km: int | None = None
    car_type: str | None = None
    cost_cents: int | None = None
    parf_rebate_cents: int | None = None
    coe_months: int | None = None
    rental_cents: int | None = None
    running_costs_cents: int | None = None

    @property
    def benefit(self) -> Benefit:
        """The benefit as the law values it."""
        return Benefit(
            category=BenefitCategory(self.category),
            first=self.provided_from,
            last=self.provided_to,
            amount_cents=self.amount_cents or self.rental_cents or 0,
            paid_by_employee_cents=self.paid_by_employee_cents or 0,
            sharing=self.employees_sharing or 1,
            rent_cents=self.rent_cents,
            annual_value_cents=self.annual_value_cents,
            furnishing=Furnishing(self.furnishing or Furnishing.NONE),
            private_km=self.private_km or 0,
            total_km=self.total_km or 1,
            car_type=CarType(self.car_type) if self.car_type else None,
            cost_cents=self.cost_cents or 0,
            parf_rebate_cents=self.parf_rebate_cents or 0,
            coe_months=self.coe_months or 1,
            running_costs_cents=self.running_costs_cents or 0,
        )


def _amount(name: str, description: str, **conditions: Any) -> Attribute:
    return Attribute(name, NonNegativeAmount(), description, field=f"{name}_cents", **conditions)


BENEFIT_IN_KIND = Schema(
    "benefit_in_kind",
    (
        Attribute("category", one_of("benefit_category"), "The kind of benefit.", required=True, example="residence"),
        Attribute(
            "provided_from", DateType(), "The first day in the year of income.", required=True, example="2026-01-01"
        ),
        Attribute(
            "provided_to",
            DateType(),
            "The last day in the year of income. A benefit of two years is two records.",
            required=True,
            example="2026-12-31",
        ),
        Attribute(
            "description",
            Text(min_length=1, max_length=200),
            "What it is.",
            required_if=when("category", "other"),
            example="Company flat",
        ),
        _amount(
            "amount",
            "What the employer spent on these days. For a driver: the wages.",
            required_if=when("category", *AMOUNT_CATEGORIES),
            only_if=when("category", *AMOUNT_CATEGORIES),
        ),
        _amount(
            "paid_by_employee",
            "What the employee paid for these days.",
            only_if=when("category", "residence", "hotel"),
            default=0,
            example="6000.00",
        ),
        Attribute(
            "address",
            Text(min_length=1, max_length=200),
            "The address of the residence.",
            required_if=RESIDENCE,
            only_if=RESIDENCE,
            example="12 Tiong Bahru Road",
        ),
        Attribute(
            "employees_sharing",
            Integer(1, MAX_SHARING),
            "The number of employees who share the residence.",
            only_if=RESIDENCE,
            default=1,
            example=1,
        ),
        _amount(
            "rent",
            "The rent that the employer paid for these days, for all who share, furniture included.",
            only_if=RESIDENCE,
            example=EXAMPLE_AMOUNT,
        ),
        _amount(
            "annual_value",
            "The annual value of a residence that the employer does not rent. Until 2018: of every residence.",
            only_if=RESIDENCE,
        ),
        Attribute("furnishing", one_of("furnishing"), "The furniture.", only_if=RESIDENCE, default="none"),
        Attribute("private_km", Integer(0, MAX_KILOMETRES), "Private mileage.", required_if=DRIVER, only_if=DRIVER),
        Attribute("total_km", Integer(1, MAX_KILOMETRES), "All mileage.", required_if=DRIVER, only_if=DRIVER),
        Attribute("car_type", one_of("car_type"), "How the car was acquired.", required_if=CAR, only_if=CAR),
        _amount(
            "cost",
            "The cost of the car, or the fee for the renewal of its COE.",
            required_if=when("car_type", *BOUGHT),
            only_if=when("car_type", *BOUGHT),
        ),
        _amount(
            "parf_rebate",
            "The PARF rebate. If the COE was renewed: the rebate forgone.",
            only_if=when("car_type", *WITH_REBATE),
            default=0,
        ),
        Attribute(
            "coe_months",
            Integer(1, MAX_COE_MONTHS),
            "The months left of the COE when the car was bought, or the months of its renewal.",
            required_if=when("car_type", *WITH_COE),
            only_if=when("car_type", *WITH_COE),
        ),
        _amount(
            "rental",
            "The rental of the car for these days.",
            required_if=when("car_type", "leased"),
            only_if=when("car_type", "leased"),
        ),
        _amount("running_costs", "Fuel, maintenance and other costs of these days.", only_if=CAR, default=0),
    ),
    rules=(check_benefit,),
    read_only=("id", "employee_id", "taxable_value", "rule", "arithmetic", "created_at", "updated_at"),
    struct=BenefitInput,
)

AMOUNT_OR_NULL: JsonSchema = {"type": ["string", "null"], "pattern": r"^\d+\.\d{2}$"}
_READ_PROPERTIES: dict[str, JsonSchema] = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    **{
        attribute.name: (AMOUNT_OR_NULL if attribute.name in AMOUNTS else {"type": ["string", "integer", "null"]})
        | {"description": attribute.description}
        for attribute in BENEFIT_IN_KIND.attributes
    },
    "taxable_value": AMOUNT_OR_NULL | {"description": "The taxable value. Null if the rule of the year is not known."},
    "rule": {"type": ["string", "null"], "description": "The rule that gives the taxable value."},
    "arithmetic": {"type": "array", "items": {"type": "string"}},
    "created_at": json_schemas.TIMESTAMP,
    "updated_at": json_schemas.TIMESTAMP,
}
ELEMENT: JsonSchema = {
    "type": "object",
    "title": "BenefitInKind",
    "required": list(_READ_PROPERTIES),
    "properties": _READ_PROPERTIES,
}
EXAMPLE: dict[str, Any] = {
    "id": 3,
    "employee_id": 12,
    **dict.fromkeys((attribute.name for attribute in BENEFIT_IN_KIND.attributes), None),
    "category": "residence",
    "provided_from": "2026-01-01",
    "provided_to": "2026-12-31",
    "address": "12 Tiong Bahru Road",
    "employees_sharing": 1,
    "rent": "50000.00",
    "paid_by_employee": "6000.00",
    "furnishing": "none",
    "taxable_value": "44000.00",
    "rule": "A rented residence is taxed at the rent that the employer pays, less what the employee pays.",
    "arithmetic": ["floor_cents(50000.00 ÷ 1) = 50000.00", "max(50000.00 − 6000.00, 0.00) = 44000.00"],
    "created_at": "2026-12-01T09:00:00+08:00",
    "updated_at": "2026-12-01T09:00:00+08:00",
}


def to_api_values(data: BenefitInput) -> dict[str, Any]:
    """Return a benefit as the API returns and takes it, with amounts as decimal text."""
    values = {attribute.name: getattr(data, attribute.key) for attribute in BENEFIT_IN_KIND.attributes}
    return values | {name: decimal_text(values[name]) for name in AMOUNTS if values[name] is not None}
