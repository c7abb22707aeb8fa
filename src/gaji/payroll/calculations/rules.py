"""What can be written of a calculation, whatever its type."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.validation import (
    MOST_NAME_CHARACTERS,
    UNREADABLE,
    Attribute,
    Boolean,
    Catalogue,
    Day,
    Faults,
    Record,
    Schema,
    near_miss,
    whole_number,
)
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import CalculationType, Input, InputKind
from gaji.payroll.calculations.possible import can_be_multiplied, can_be_skipped

LATEST_DATE = date(2199, 12, 31)
DETAILS_SCHEMA: Schema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
}
MULTIPLIER = Input("multiplier", InputKind.QUANTITY, "By what the amount is multiplied.", most=100)


@dataclass(frozen=True)
class CalculationName:
    """The name of a system type, or the number of a custom item."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        if isinstance(value, str) and not UNREADABLE.search(value):
            return value
        number = whole_number(value)
        if number is None:
            faults[path] = "must be the name of a calculation, or the number of a custom item"
            return None
        return str(number)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "integer"}]}


@dataclass(frozen=True)
class Details:
    """An object of inputs; the type decides what each may be."""

    def read(self, value: object, path: str, faults: Faults) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        faults[path] = "must be an object of inputs"
        return None

    def schema(self) -> Schema:
        return dict(DETAILS_SCHEMA)


@dataclass(frozen=True)
class Multiplier:
    """A number by which an amount is multiplied."""

    def read(self, value: object, path: str, faults: Faults) -> str | None:
        try:
            return str(MULTIPLIER.read(value))
        except ValueError as error:
            faults[path] = str(error)
            return None

    def schema(self) -> Schema:
        return {"type": "number", "minimum": 0, "maximum": MULTIPLIER.most}


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
    Day(),
    "From when on, for inherited calculations alone. Required when the employee has finalised payslips.",
)

CALCULATION = Catalogue(
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

INHERITED = Catalogue(
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


def known_type(catalogue: engine.Catalogue, name: str, path: str, faults: Faults) -> CalculationType | None:
    """The type of this name, if there is one and something can be entered for it."""
    one = catalogue.types.get(name)
    if one is None:
        faults.setdefault(path, f"there is no calculation {name[:MOST_NAME_CHARACTERS]!r}{_meant(catalogue, name)}")
    elif not one.can_be_entered:
        faults.setdefault(path, f"{one.caption} is computed by law; there is nothing to enter for it")
    else:
        return one
    return None


def check_handling(one: CalculationType, level: str, record: Record, faults: Faults) -> None:
    """Refuse to skip, delete or multiply what cannot be."""
    if not can_be_skipped(one):
        for name in ("skip", "deleted"):
            if record[name]:
                faults.setdefault(name, f"is not possible for {one.name}")
    if record["deleted"] and level != "payslip":
        faults.setdefault("deleted", "is only possible on a payslip; delete the calculation instead")
    if record["multiplier"] is not None and not can_be_multiplied(one):
        faults.setdefault("multiplier", f"is not possible for {one.name}")


def check_effective_date(record: Record, faults: Faults) -> None:
    """A day of our time."""
    if record["effective_date"] and record["effective_date"] > LATEST_DATE:
        faults["effective_date"] = f"must not be after {LATEST_DATE}"


def _meant(catalogue: engine.Catalogue, name: str) -> str:
    """What was probably meant, found by names and by what people read."""
    if len(name) > MOST_NAME_CHARACTERS:
        return ""
    captions = {one.caption.lower(): one.name for one in catalogue.types.values()}
    close = near_miss(name, list(catalogue.types)) or captions.get(near_miss(name.lower(), list(captions)) or "")
    if close is None:
        return ""
    caption = catalogue.types[close].caption
    return f"; did you mean {close} ({caption})?" if close.isdigit() else f"; did you mean {close}?"
