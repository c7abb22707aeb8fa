"""Request and response schemas of take-on balances."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from gaji.core.amounts import AMOUNT_INPUT, NonNegativeAmount
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.error_codes import NOT_AN_OBJECT, NOT_IN_LIST, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Integer, JsonSchema, parse_integer
from gaji.core.validation import Attribute, Record, Rule, Schema
from gaji.engine.money import decimal_text

AMOUNTS = (
    ("ordinary_wages", "Ordinary wages paid so far."),
    ("ordinary_wages_subject", "The part of the ordinary wages that attracted CPF."),
    ("additional_wages", "Additional wages paid so far."),
    ("additional_wages_subject", "The part of the additional wages that attracted CPF."),
    ("cpf_employee", "CPF deducted from the employee's wages."),
    ("cpf_employer", "CPF paid by the employer."),
)
IR8A_ITEMS = {str(entry.value) for entry in CONSTANT_LISTS["ir8a_item"]}
MAX_DAYS = 10_000

NOT_A_LEAVE_TYPE_ID = ErrorCode("not_a_leave_type_id", "must be the ID of a leave type")
NOT_A_NUMBER_OF_DAYS = ErrorCode("not_a_number_of_days", "must be a number of days from -{maximum} to {maximum}")
ABOVE_WAGES = ErrorCode("above_wages", "must be at most {attribute}")


class TakeOnInput(msgspec.Struct, frozen=True, kw_only=True):
    """The take-on balances of an employee."""

    year: int
    ordinary_wages_cents: int = 0
    ordinary_wages_subject_cents: int = 0
    additional_wages_cents: int = 0
    additional_wages_subject_cents: int = 0
    cpf_employee_cents: int = 0
    cpf_employer_cents: int = 0
    ir8a_cents: dict[str, int] | None = None
    """Amounts by IR8A item."""
    leave: dict[str, str] | None = None
    """Days by leave type ID, as decimal text."""


@dataclass(frozen=True)
class AmountsByItem:
    """Amounts by IR8A item, stored in cents."""

    def parse(self, value: object, path: str, errors: Errors) -> dict[str, int | None] | None:
        if not isinstance(value, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return None
        for item in value.keys() - IR8A_ITEMS:
            errors.add(f"{path}.{item}", NOT_IN_LIST, list="ir8a_item")
        amount = NonNegativeAmount()
        return {item: amount.parse(value[item], f"{path}.{item}", errors) for item in value if item in IR8A_ITEMS}

    def json_schema(self) -> JsonSchema:
        items = {str(entry.value): dict(AMOUNT_INPUT) for entry in CONSTANT_LISTS["ir8a_item"]}
        return {"type": "object", "properties": items, "additionalProperties": False}


@dataclass(frozen=True)
class DaysByLeaveType:
    """Days of leave by leave type ID, stored as decimal text."""

    def parse(self, value: object, path: str, errors: Errors) -> dict[str, str] | None:
        if not isinstance(value, Mapping):
            errors.add(path, NOT_AN_OBJECT)
            return None
        days_by_type: dict[str, str] = {}
        for key, item in value.items():
            type_id = parse_integer(key) or 0
            days = _days_text(item)
            if type_id < 1:
                errors.add(f"{path}.{key}", NOT_A_LEAVE_TYPE_ID)
            elif days is None:
                errors.add(f"{path}.{key}", NOT_A_NUMBER_OF_DAYS, maximum=MAX_DAYS)
            else:
                days_by_type[str(type_id)] = days
        return days_by_type

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": {"type": ["string", "number"]}}


def _days_text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    try:
        days = Decimal(value)
    except InvalidOperation:
        return None
    if not days.is_finite() or days.copy_abs() > MAX_DAYS or days != round(days, 4):
        return None
    return f"{(days + 0).normalize():f}"


def check_subject_wages(record: Record, errors: Errors) -> None:
    """Check that wages that attracted CPF are not above the wages."""
    for wages in ("ordinary_wages", "additional_wages"):
        wages_cents, subject_cents = record[f"{wages}_cents"], record[f"{wages}_subject_cents"]
        if wages_cents is not None and subject_cents is not None and subject_cents > wages_cents:
            errors.add_if_absent(f"{wages}_subject", ABOVE_WAGES, attribute=wages)


def leave_types_rule(known_ids: Container[int]) -> Rule:
    """Return the check that the client has the leave types."""

    def check(record: Record, errors: Errors) -> None:
        for type_id in record["leave"] or ():
            if int(type_id) not in known_ids:
                errors.add_if_absent(f"leave.{type_id}", UNKNOWN_ID, resource="leave type", id=type_id)

    return check


TAKE_ON = Schema(
    "take_on_balances",
    (
        Attribute(
            "year", Integer(minimum=2000, maximum=2199), "The year of these balances.", required=True, example=2026
        ),
        *(
            Attribute(name, NonNegativeAmount(), description, default=0, example="0.00", field=f"{name}_cents")
            for name, description in AMOUNTS
        ),
        Attribute(
            "ir8a",
            AmountsByItem(),
            "Amounts by IR8A item, from the list `ir8a_item`.",
            example={"a": "31000.00"},
            field="ir8a_cents",
        ),
        Attribute("leave", DaysByLeaveType(), "Remaining days of leave, by leave type ID.", example={"1": "3.5"}),
    ),
    rules=(check_subject_wages,),
    struct=TakeOnInput,
)

AMOUNT_SCHEMA: JsonSchema = {"type": "string", "pattern": r"^\d+\.\d{2}$"}
TAKE_ON_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "TakeOnBalances",
    "required": [attribute.name for attribute in TAKE_ON.attributes],
    "properties": {
        "year": {"type": "integer"},
        **{name: AMOUNT_SCHEMA | {"description": description} for name, description in AMOUNTS},
        "ir8a": {"type": "object", "additionalProperties": AMOUNT_SCHEMA},
        "leave": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def take_on_json(balances: TakeOnInput) -> dict[str, Any]:
    """Return take-on balances as the API returns them, with amounts as decimal text."""
    amounts = {name: decimal_text(getattr(balances, f"{name}_cents")) for name, _ in AMOUNTS}
    ir8a = {item: decimal_text(amount_cents) for item, amount_cents in (balances.ir8a_cents or {}).items()}
    return {"year": balances.year, **amounts, "ir8a": ir8a, "leave": balances.leave or {}}
