"""What can be written of a calculation, whatever its type."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import (
    CONTROL_CHARACTERS,
    MAX_NAME_LENGTH,
    Attribute,
    Boolean,
    DateType,
    JsonSchema,
    Record,
    Schema,
    parse_integer,
    suggest,
)
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import CalculationType, InputField, InputKind
from gaji.payroll.calculations.possible import can_be_multiplied, can_be_skipped

LATEST_DATE = date(2199, 12, 31)
DETAILS_SCHEMA: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
}
MULTIPLIER = InputField("multiplier", InputKind.QUANTITY, "By what the amount is multiplied.", maximum=100)


@dataclass(frozen=True)
class CalculationName:
    """The name of a system type, or the number of a custom item."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        if isinstance(value, str) and not CONTROL_CHARACTERS.search(value):
            return value
        number = parse_integer(value)
        if number is None:
            errors.add(path, INVALID, reason="must be the name of a calculation, or the number of a custom item")
            return None
        return str(number)

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "string"}, {"type": "integer"}]}


@dataclass(frozen=True)
class Details:
    """An object of inputs; the type decides what each may be."""

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, INVALID, reason="must be an object of inputs")
        return None

    def json_schema(self) -> JsonSchema:
        return dict(DETAILS_SCHEMA)


@dataclass(frozen=True)
class Multiplier:
    """A number by which an amount is multiplied."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        try:
            return str(MULTIPLIER.parse(value))
        except ValueError as error:
            errors.add(path, INVALID, reason=str(error))
            return None

    def json_schema(self) -> JsonSchema:
        return {"type": "number", "minimum": 0, "maximum": MULTIPLIER.maximum}


CALC_TYPE = Attribute(
    "calc_type",
    CalculationName(),
    "The type: a system name, or the number of a custom item. See calculation_types.",
    required=True,
    example="basic_salary",
)
DETAILS = Attribute(
    "calculation_details",
    Details(),
    "The inputs to change; null clears one.",
    example={"pay_type": "monthly", "fixed_amount": "4200.00"},
)
EFFECTIVE_DATE = Attribute(
    "effective_date",
    DateType(),
    "From when on, for inherited calculations alone. Required when the employee has finalised payslips.",
)

CALCULATION = Schema(
    "calculation",
    (
        CALC_TYPE,
        DETAILS,
        EFFECTIVE_DATE,
        Attribute("skip", Boolean(), "Whether payslips go without the item; null leaves it to the level above."),
        Attribute("deleted", Boolean(), "Of a payslip: whether it drops the item, inputs and all."),
        Attribute("multiplier", Multiplier(), "By what the amount is multiplied; null leaves it to the level above."),
    ),
    read_only=(
        "id",
        "employee_id",
        "payslip_id",
        "client_id",
        "calculation_id",
        "calculation_def_id",
        "profile_id",
        "account_components",
        "account_outputs",
        "input_formulas",
        "overrides",
        "outputs",
        "skip_rule",
        "created_at",
        "updated_at",
        "system_type",
    ),
)

INHERITED = Schema(
    "inherited_calculation",
    (
        CALC_TYPE,
        Attribute("calculation_details", Details(), DETAILS.description, required=True, example={"schedule": "fixed"}),
        EFFECTIVE_DATE,
    ),
    read_only=(
        "id",
        "profile_id",
        "employee_id",
        "short_name",
        "calculation_def_id",
        "created_at",
        "updated_at",
        "inputs",
        "inputs_history",
    ),
)


def find_enterable_type(catalogue: engine.Catalogue, name: str, path: str, errors: Errors) -> CalculationType | None:
    """The type of this name, if there is one and something can be entered for it."""
    one = catalogue.types.get(name)
    if one is None:
        errors.setdefault(path, f"there is no calculation {name[:MAX_NAME_LENGTH]!r}{_meant(catalogue, name)}")
    elif not one.enterable:
        errors.setdefault(path, f"{one.caption} is computed by law; there is nothing to enter for it")
    else:
        return one
    return None


def check_handling(one: CalculationType, level: str, record: Record, errors: Errors) -> None:
    """Refuse to skip, delete or multiply what cannot be."""
    if not can_be_skipped(one):
        for name in ("skip", "deleted"):
            if record[name]:
                errors.setdefault(name, f"is not possible for {one.name}")
    if record["deleted"] and level != "payslip":
        errors.setdefault("deleted", "is only possible on a payslip; delete the calculation instead")
    if record["multiplier"] is not None and not can_be_multiplied(one):
        errors.setdefault("multiplier", f"is not possible for {one.name}")


def check_effective_date(record: Record, errors: Errors) -> None:
    """A day of our time."""
    if record["effective_date"] and record["effective_date"] > LATEST_DATE:
        errors.add("effective_date", INVALID, reason=f"must not be after {LATEST_DATE}")


def _meant(catalogue: engine.Catalogue, name: str) -> str:
    """What was probably meant, found by names and by what people read."""
    if len(name) > MAX_NAME_LENGTH:
        return ""
    captions = {one.caption.lower(): one.name for one in catalogue.types.values()}
    close = suggest(name, list(catalogue.types)) or captions.get(suggest(name.lower(), list(captions)) or "")
    if close is None:
        return ""
    caption = catalogue.types[close].caption
    return f"; did you mean {close} ({caption})?" if close.isdigit() else f"; did you mean {close}?"
