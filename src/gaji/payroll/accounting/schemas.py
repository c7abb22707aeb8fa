"""Request and response schemas of accounting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.error_codes import DUPLICATE, NOT_AN_ARRAY, TOO_MANY_ITEMS
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema, Text, TextPattern, parse_integer
from gaji.core.validation import MAX_NAME_LENGTH, Attribute, Group, Schema, when
from gaji.payroll.accounting.rules import BY_EMPLOYEE, REST_ID
from gaji.payroll.calculation_definitions.rules import NOT_AN_ITEM

MAX_SPLITS = 500
NAME = Text(min_length=1, max_length=100)
INVALID_SPLIT_ID = ErrorCode(
    "invalid_split_id",
    "must be letters a to z, digits, hyphens and underscores, and start with a letter or a digit",
)
SPLIT_ID = Text(
    min_length=1,
    max_length=50,
    pattern=TextPattern(r"[A-Za-z0-9][A-Za-z0-9_-]*", INVALID_SPLIT_ID),
)
RESERVED_SPLIT_ID = ErrorCode("reserved_split_id", "must not be {id}, the ID of the split for unassigned employees")


class AccountInput(msgspec.Struct, frozen=True, kw_only=True):
    """The accounts of one payslip item."""

    item: str
    category: str | None
    debit_account: str | None
    credit_account: str | None


class SplitInput(msgspec.Struct, frozen=True, kw_only=True):
    """A split to rename, or to add if the client has no split with this ID."""

    id: str | None
    name: str


class AccountingSplitsInput(msgspec.Struct, frozen=True, kw_only=True):
    """How the journals of a client are divided."""

    mode: str
    splits: list[SplitInput] | None


@dataclass(frozen=True)
class ItemName:
    """The name of a payslip item, or the number of a custom item."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        number = parse_integer(value)
        if number is not None:
            return str(number)
        if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH:
            return value
        errors.add(path, NOT_AN_ITEM)
        return None

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "string"}, {"type": "integer"}]}


@dataclass(frozen=True)
class SplitId:
    """The ID of a split, which the caller may choose. Integers are accepted."""

    def parse(self, value: object, path: str, errors: Errors) -> str | None:
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        split_id = SPLIT_ID.parse(text, path, errors)
        if split_id == REST_ID:
            errors.add(path, RESERVED_SPLIT_ID, id=REST_ID)
            return None
        return split_id

    def json_schema(self) -> JsonSchema:
        return {"anyOf": [SPLIT_ID.json_schema(), {"type": "integer", "minimum": 1}]}


SPLIT_GROUP = Group(
    (
        Attribute("id", SplitId(), "ID of an existing split, or of a new one. Default: chosen by the server."),
        Attribute("name", NAME, "Name, unique in the client.", required=True),
    )
)


@dataclass(frozen=True)
class SplitList:
    """The splits of a client, each with a name and optionally an ID."""

    element_attributes = SPLIT_GROUP.attributes
    element_read_only = ()

    def parse(self, value: object, path: str, errors: Errors) -> list[SplitInput] | None:
        if not isinstance(value, list):
            errors.add(path, NOT_AN_ARRAY)
            return None
        if len(value) > MAX_SPLITS:
            errors.add(path, TOO_MANY_ITEMS, maximum=MAX_SPLITS)
            return None
        splits = [_parse_split(element, f"{path}.{index}", errors) for index, element in enumerate(value)]
        _reject_duplicates("id", [split.id for split in splits], path, errors)
        _reject_duplicates("name", [split.name.strip().lower() or None for split in splits], path, errors)
        return splits or None  # an empty array counts as missing

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "maxItems": MAX_SPLITS, "items": SPLIT_GROUP.json_schema()}


def _parse_split(element: object, path: str, errors: Errors) -> SplitInput:
    """Return a split. Without a valid name, the name is empty and `errors` has the reason."""
    values = SPLIT_GROUP.parse(element, path, errors) or {"id": None, "name": None}
    return SplitInput(id=values["id"], name=values["name"] or "")


def _reject_duplicates(name: str, values: Sequence[object], path: str, errors: Errors) -> None:
    for index, value in enumerate(values):
        if value is not None and value in values[:index]:
            errors.add_if_absent(f"{path}.{index}.{name}", DUPLICATE)


ACCOUNT = Schema(
    "account",
    (
        Attribute("item", ItemName(), "A payslip item, or `nett_pay`.", required=True, example="basic_salary"),
        Attribute("category", NAME, "Heading of the item in a journal.", example="Earnings"),
        Attribute("debit_account", NAME, "Account that is debited.", example="6100 Salaries"),
        Attribute("credit_account", NAME, "Account that is credited.", example="Salaries payable"),
    ),
    read_only=(),
    struct=AccountInput,
)

SPLITS = Schema(
    "accounting_splits",
    (
        Attribute(
            "mode", one_of("accounting_split_mode"), "How journals are divided.", required=True, example="employee"
        ),
        Attribute(
            "splits",
            SplitList(),
            "The splits that employees are divided over. Send every split to keep with its ID; others are removed.",
            required_if=when("mode", BY_EMPLOYEE),
            example=[{"id": "kitchen", "name": "Kitchen"}, {"name": "Outlets"}],
        ),
    ),
    read_only=(),
    struct=AccountingSplitsInput,
)

TEXT: JsonSchema = {"type": "string"}
SPLIT_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "AccountingSplit",
    "required": ["id", "name"],
    "properties": {"id": TEXT, "name": TEXT},
}
SPLIT_ELEMENTS: JsonSchema = {"type": "array", "items": SPLIT_ELEMENT}
SPLIT_EXAMPLE = [{"id": "kitchen", "name": "Kitchen"}, {"id": "4", "name": "Outlets"}]
SPLITS_RESPONSE: JsonSchema = {
    "type": "object",
    "title": "AccountingSplits",
    "required": ["mode", "splits"],
    "properties": {"mode": {"enum": ["none", "pay_point", "employee"]}, "splits": SPLIT_ELEMENTS},
}
SPLITS_SAVED: JsonSchema = {
    "type": "object",
    "title": "AccountingSplitsSavedResponse",
    "required": ["message", "id", "splits"],
    "properties": {**json_schemas.SAVED["properties"], "splits": SPLIT_ELEMENTS},
}
SHARES_RESPONSE: JsonSchema = {
    "type": "object",
    "title": "EmployeeAccountingSplits",
    "additionalProperties": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
}
SHARES_REQUEST: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": ["number", "string"], "description": "A percentage with at most 2 decimals."},
    "examples": [{"kitchen": 60, "4": 40}],
}
ACCOUNT_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "Account",
    "required": [attribute.name for attribute in ACCOUNT.attributes],
    "properties": {attribute.name: TEXT | {"description": attribute.description} for attribute in ACCOUNT.attributes},
}
ACCOUNT_LIST: JsonSchema = {"type": "array", "items": json_schemas.wrapped_schema("account", ACCOUNT.json_schema())}
ACCOUNTS_REQUEST: JsonSchema = {
    "anyOf": [ACCOUNT_LIST, {"type": "object", "required": ["accounts"], "properties": {"accounts": ACCOUNT_LIST}}],
    "examples": [[{"account": json_schemas.resource_example(ACCOUNT)}]],
}
POSTINGS: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "title": "Posting",
        "required": ["category", "line_item", "label", "amount"],
        "properties": {
            "category": TEXT | {"description": "Heading of the item."},
            "line_item": TEXT | {"description": "The item, or `nett_pay`."},
            "label": TEXT | {"description": "The account."},
            "amount": {
                "type": "object",
                "additionalProperties": {"type": "number"},
                "description": "Amount by the ID of the split; under the empty string when there are no splits.",
            },
        },
    },
}
JOURNAL: JsonSchema = {
    "type": "object",
    "title": "AccountingJournal",
    "required": ["posted_to_accounting_system", "finalised", "accounting_splits", "debit", "credit"],
    "properties": {
        "posted_to_accounting_system": {"type": "boolean"},
        "finalised": {"type": "boolean", "description": "Whether the run is finalised. Do not book a draft."},
        "accounting_splits": SPLIT_ELEMENTS,
        "debit": POSTINGS,
        "credit": POSTINGS,
    },
}


def _posting(category: str, line_item: str, label: str, amount: float) -> dict[str, Any]:
    return {"category": category, "line_item": line_item, "label": label, "amount": {"": amount}}


JOURNAL_EXAMPLE = [
    {
        "posted_to_accounting_system": False,
        "finalised": True,
        "accounting_splits": [],
        "debit": [
            _posting("Earnings", "basic_salary", "Salaries and wages", 3000.00),
            _posting("CPF", "cpf_employer", "Employer CPF", 510.00),
        ],
        "credit": [
            _posting("CPF", "cpf_employee", "CPF payable", 600.00),
            _posting("CPF", "cpf_employer", "CPF payable", 510.00),
            _posting("Nett pay", "nett_pay", "Salaries payable", 2400.00),
        ],
    }
]
