"""What can be written of accounts and splits."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.core.validation import (
    MAX_NAME_LENGTH,
    Attribute,
    Group,
    Integer,
    JsonSchema,
    Record,
    Rule,
    Schema,
    Text,
    parse_integer,
    suggest,
    when,
)
from gaji.engine.split_allocation import FULL_SHARE

BY_EMPLOYEE = "employee"
BY_PAY_POINT = "pay_point"
MOST_SPLITS = 500
MOST_NAMED = 100
"""Of unknown splits: a huge body must not make a huge answer."""
NAME = Text(min_length=1, max_length=100)
PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?")


@dataclass(frozen=True)
class Item:
    """The name of an item, or the number of a custom one."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        number = parse_integer(value)
        if number is not None:
            return str(number)
        if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH:
            return value
        errors.add(path, INVALID, reason="must be the name of an item, or the number of a custom one")
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": ["string", "integer"]}


ACCOUNT = Schema(
    "account",
    (
        Attribute(
            "item",
            Item(),
            "An item of a payslip, or `nett_pay` for what is paid out.",
            required=True,
            example="basic_salary",
        ),
        Attribute("category", NAME, "The heading that a journal shows it under.", example="Earnings"),
        Attribute("debit_account", NAME, "The account that is debited.", example="6100 Salaries"),
        Attribute("credit_account", NAME, "The account that is credited.", example="Salaries payable"),
    ),
    read_only=(),
)


def known_item(items: Set[str]) -> Rule:
    """That there is such an item on the payslips of the client."""

    def check(record: Record, errors: Errors) -> None:
        item = record["item"]
        if item is not None and item not in items:
            close = suggest(item, list(items))
            errors.setdefault("item", f"there is no item {item}" + (f"; did you mean {close}?" if close else ""))

    return check


SPLIT = Group(
    (
        Attribute("id", Integer(minimum=1), "Of a split that is there already."),
        Attribute("name", NAME, "Its name, unique in the client.", required=True),
    )
)


@dataclass(frozen=True)
class Splits:
    """The splits of a client: each a name, and its ID if there is one already."""

    def parse(self, value: object, path: str, errors: Errors) -> list[Record] | None:
        if not isinstance(value, list) or len(value) > MOST_SPLITS:
            errors.add(path, INVALID, reason=f"must be an array of at most {MOST_SPLITS} splits")
            return None
        read = (SPLIT.parse(one, f"{path}.{place}", errors) for place, one in enumerate(value))
        found = [one or {"id": None, "name": None} for one in read]
        _check_once("id", [one["id"] for one in found], path, errors)
        _check_once("name", [one["name"] and one["name"].strip().lower() for one in found], path, errors)
        return found or None  # no splits at all are as good as none given

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MOST_SPLITS, "items": SPLIT.json_schema()}


def _check_once(name: str, values: Sequence[object], path: str, errors: Errors) -> None:
    for place, value in enumerate(values):
        if value is not None and value in values[:place]:
            errors.setdefault(f"{path}.{place}.{name}", "must not be given twice")


SPLITS = Schema(
    "accounting_splits",
    (
        Attribute(
            "mode",
            one_of("accounting_split_mode"),
            "Over what journals are divided.",
            required=True,
            example="employee",
        ),
        Attribute(
            "splits",
            Splits(),
            "The splits that employees are divided over. To change them, send all that remain with their IDs.",
            required_if=when("mode", BY_EMPLOYEE),
            example=[{"id": 3, "name": "Sales"}, {"name": "Operations"}],
        ),
    ),
    read_only=(),
)


def own_splits(known: Set[int]) -> Rule:
    """That the IDs which are given are those of splits of the client."""

    def check(record: Record, errors: Errors) -> None:
        for place, one in enumerate(record["splits"] or ()):
            if record["mode"] == BY_EMPLOYEE and one["id"] is not None and one["id"] not in known:
                errors.setdefault(f"splits.{place}.id", f"there is no accounting split {one['id']} in this client")

    return check


def read_shares(body: Mapping[str, Any], known: Set[int]) -> dict[int, int]:
    """By split the share in hundredths of a percent, from percentages that add up to 100, or from none at all."""
    wrapped = body.get("accounting_splits")
    given = wrapped if isinstance(wrapped, Mapping) else body
    errors: Errors = Errors()
    shares: dict[int, int] = {}
    for key, value in given.items():
        split_id, share = parse_integer(key), _hundredths(value)
        if split_id is None or split_id not in known or split_id in shares:
            if len(errors) < MOST_NAMED:
                errors.add(key[:MAX_NAME_LENGTH], INVALID, reason="there is no such accounting split in this client")
        elif share is None:
            errors.add(key, INVALID, reason="must be a percentage from 0 to 100 with at most 2 decimals")
        else:
            shares[split_id] = share
    if given and not errors and sum(shares.values()) != FULL_SHARE:
        errors.add("accounting_splits", INVALID, reason=f"must add up to 100, not {percent_text(sum(shares.values()))}")
    if errors:
        raise ValidationError(errors)
    return {split_id: share for split_id, share in shares.items() if share}


def percent_text(share: int) -> str:
    """A share as a percentage.

    >>> percent_text(3333), percent_text(5050), percent_text(10000)
    ('33.33', '50.5', '100')
    """
    return f"{(Decimal(share) / 100).normalize():f}"


def _hundredths(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    if isinstance(value, str) and not PERCENT.fullmatch(value):
        return None
    percent = Decimal(value)
    if not percent.is_finite() or not 0 <= percent <= 100 or percent != round(percent, 2):
        return None
    return int(percent * 100)
