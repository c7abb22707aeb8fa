"""What can be written of take-on balances."""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from gaji.core.constants import LISTS
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Integer, JsonSchema, Record, Rule, Schema, parse_integer
from gaji.engine.money import InvalidAmount, to_cents, decimal_text

AMOUNTS = (
    ("ordinary_wages", "Ordinary wages paid so far."),
    ("ordinary_wages_subject", "Of these, the part that attracted CPF."),
    ("additional_wages", "Additional wages paid so far."),
    ("additional_wages_subject", "Of these, the part that attracted CPF."),
    ("cpf_employee", "CPF taken from the employee."),
    ("cpf_employer", "CPF paid by the employer."),
)
AMOUNT_SCHEMA: JsonSchema = {"anyOf": [{"type": "string", "pattern": r"^\d{1,10}(\.\d{1,2})?$"}, {"type": "number"}]}
MOST_DAYS = 10_000


@dataclass(frozen=True)
class Amount:
    """An amount of money that is not negative, in dollars; kept in cents."""

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        if isinstance(value, str) and not re.fullmatch(r"-?\d+(\.\d+)?", value, re.ASCII):
            errors.add(path, INVALID, reason="must be an amount such as 1234.50")
            return None
        try:
            amount = to_cents(value)  # type: ignore[arg-type]
        except InvalidAmount as error:
            errors.add(path, INVALID, reason=str(error))
            return None
        if amount < 0:
            errors.add(path, INVALID, reason="must not be negative")
            return None
        return amount

    def json_schema(self) -> JsonSchema:
        return dict(AMOUNT_SCHEMA)


@dataclass(frozen=True)
class AmountsByItem:
    """Amounts by IR8A item; kept in cents."""

    def parse(self, value: object, path: str, errors: Errors) -> Record | None:
        if not isinstance(value, Mapping):
            errors.add(path, INVALID, reason="must be an object from IR8A items to amounts")
            return None
        known = {entry.value for entry in LISTS["ir8a_item"]}
        for item in value.keys() - known:
            errors.add(f"{path}.{item}", INVALID, reason="is not in the list /constants/ir8a_item")
        return {item: Amount().read(value[item], f"{path}.{item}", errors) for item in value if item in known}

    def json_schema(self) -> JsonSchema:
        items = {str(entry.value): dict(AMOUNT_SCHEMA) for entry in LISTS["ir8a_item"]}
        return {"type": "object", "properties": items, "additionalProperties": False}


@dataclass(frozen=True)
class DaysByType:
    """Days of leave by leave type ID; kept as decimal text."""

    def parse(self, value: object, path: str, errors: Errors) -> Record | None:
        if not isinstance(value, Mapping):
            errors.add(path, INVALID, reason="must be an object from leave type IDs to days")
            return None
        kept: Record = {}
        for key, days in value.items():
            if (parse_integer(key) or 0) < 1:
                errors.add(f"{path}.{key}", INVALID, reason="must be the ID of a leave type")
            elif (number := _days(days)) is None:
                errors.add(
                    f"{path}.{key}", INVALID, reason=f"must be a number of days from -{MOST_DAYS} to {MOST_DAYS}"
                )
            else:
                kept[str(parse_integer(key))] = number
        return kept

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": {"type": ["string", "number"]}}


def _days(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    try:
        days = Decimal(value)
    except InvalidOperation:
        return None
    if not days.is_finite() or abs(days) > MOST_DAYS or days != round(days, 4):
        return None
    return f"{(days + 0).normalize():f}"


def shown(record: Record) -> Record:
    """Take-on balances as the API shows them: amounts as decimal texts."""
    amounts = {name: decimal_text(record[name]) for name, _ in AMOUNTS}
    ir8a = {item: decimal_text(amount) for item, amount in record["ir8a"].items()}
    return {"year": record["year"], **amounts, "ir8a": ir8a, "leave": record["leave"]}


def check_subject(record: Record, errors: Errors) -> None:
    """No more wages can attract CPF than were paid."""
    for kind in ("ordinary_wages", "additional_wages"):
        subject = f"{kind}_subject"
        if record[kind] is not None and record[subject] is not None and record[subject] > record[kind]:
            errors.setdefault(subject, f"must not be above {kind}")


def of_types(known: Container[int]) -> Rule:
    """That leave is of types that the client has."""

    def check(record: Record, errors: Errors) -> None:
        for type_id in record["leave"] or ():
            if int(type_id) not in known:
                errors.setdefault(f"leave.{type_id}", f"there is no leave type {type_id} in this client")

    return check


TAKE_ON = Schema(
    "take_on_balances",
    (
        Attribute(
            "year", Integer(minimum=2000, maximum=2199), "The year of these balances.", required=True, example=2026
        ),
        *(Attribute(name, Amount(), description, default=0, example="0.00") for name, description in AMOUNTS),
        Attribute(
            "ir8a", AmountsByItem(), "Amounts by IR8A item, from the list `ir8a_item`.", example={"a": "31000.00"}
        ),
        Attribute("leave", DaysByType(), "Days of leave left over, by leave type ID.", example={"1": "3.5"}),
    ),
    rules=(check_subject,),
)
