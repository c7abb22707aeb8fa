"""Request and response schemas of retro proposals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.amounts import NonNegativeAmount
from gaji.core.constants import one_of
from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean, Integer, JsonSchema, parse_integer
from gaji.core.validation import Attribute, Schema
from gaji.engine.payslip_input import DECIDED_LATER

MAX_PAYSLIPS = 24
NOT_PAST_PAYSLIP_IDS = ErrorCode("not_past_payslip_ids", "must be a list of 1 to {maximum} payslip IDs")
NO_OPEN_DIFFERENCE = ErrorCode("no_open_difference", "payslip {payslip_id} has no open difference of this treatment")
NO_OPEN_ITEM = ErrorCode("no_open_item", "payslip {payslip_id} has no open difference of {item}")
NOT_SELECTED = ErrorCode("not_selected", "payslip {payslip_id} is not in `payslip_ids`")
NOT_EDITABLE = ErrorCode("not_editable", "can only be given for `decided_later`: contributions follow from the records")
ONLY_MISSED = ErrorCode("only_missed", "can only be given for `missed`")


class ProposalInput(msgspec.Struct, frozen=True, kw_only=True):
    """A valid request for a proposal."""

    treatment: str
    payslip_ids: list[int] | None
    """None: all payslips with an open difference of the treatment."""
    amounts: dict[int, dict[str, int]] | None
    """Agreed amounts in cents, by payslip and item."""
    include_pay: bool
    recover_employee_share: bool


@dataclass(frozen=True)
class PastPayslipIds:
    """The ids of finalised payslips."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if not isinstance(value, list) or not 0 < len(value) <= MAX_PAYSLIPS:
            errors.add(path, NOT_PAST_PAYSLIP_IDS, maximum=MAX_PAYSLIPS)
            return None
        parsed = [Integer(minimum=1).parse(element, f"{path}.{i}", errors) for i, element in enumerate(value)]
        return [payslip_id for payslip_id in dict.fromkeys(parsed) if payslip_id is not None]

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "minItems": 1, "maxItems": MAX_PAYSLIPS, "items": {"type": "integer", "minimum": 1}}


@dataclass(frozen=True)
class AgreedAmounts:
    """Agreed amounts by payslip and item, stored in cents."""

    def parse(self, value: object, path: str, errors: Errors) -> dict[int, dict[str, int]] | None:
        if not isinstance(value, Mapping) or len(value) > MAX_PAYSLIPS:
            errors.add(path, NOT_AN_OBJECT)
            return None
        amounts: dict[int, dict[str, int]] = {}
        for key, items in value.items():
            payslip_id = parse_integer(key)
            if payslip_id is None or not isinstance(items, Mapping):
                errors.add(f"{path}.{key}", NOT_AN_OBJECT)
                continue
            amount = NonNegativeAmount()
            parsed = {str(item): amount.parse(items[item], f"{path}.{key}.{item}", errors) for item in items}
            amounts[payslip_id] = {item: cents for item, cents in parsed.items() if cents is not None}
        return amounts

    def json_schema(self) -> JsonSchema:
        amount = NonNegativeAmount().json_schema()
        return {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": amount}}


PROPOSAL = Schema(
    "retro_proposal",
    (
        Attribute(
            "treatment",
            one_of("retro_treatment"),
            "`decided_later`: arrears of a decision about pay, additional wages of the month of payment. `missed`: "
            "wages and contributions of the month that they are for.",
            required=True,
            example=DECIDED_LATER,
        ),
        Attribute(
            "payslip_ids",
            PastPayslipIds(),
            "The finalised payslips to correct. Default: all with an open difference of the treatment.",
            example=[11, 12, 13],
        ),
        Attribute(
            "amounts",
            AgreedAmounts(),
            "Agreed amounts instead of the differences, by payslip and item. For `decided_later` only.",
            example={"11": {"basic_salary": "250.00"}},
        ),
        Attribute(
            "include_pay",
            Boolean(),
            "Whether changes of pay count as `missed` too, because the pay was already agreed at the time.",
            default=False,
        ),
        Attribute(
            "recover_employee_share",
            Boolean(),
            "Whether the employee agreed in writing to pay the employee's share of CPF that was not deducted, beyond "
            "the arrears. For `missed` only.",
            default=False,
        ),
    ),
    read_only=(),
    struct=ProposalInput,
)

AMOUNT: JsonSchema = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{2}$"}
DATE: JsonSchema = {"type": "string", "format": "date"}
AMOUNTS: JsonSchema = {
    "type": "object",
    "required": ["paid", "due", "difference"],
    "properties": {
        "paid": AMOUNT | {"description": "What was paid, with earlier corrections."},
        "due": AMOUNT | {"description": "What should have been paid, with today's knowledge."},
        "difference": AMOUNT | {"description": "What is paid or booked now. Negative if it is overpaid."},
    },
}
DIFFERENCE: JsonSchema = {
    "type": "object",
    "required": ["payslip_id", "start_date", "end_date", "total", "items", "months", "arithmetic"],
    "properties": {
        "payslip_id": json_schemas.IDENTIFIER,
        "start_date": DATE,
        "end_date": DATE,
        "total": AMOUNT | {"description": "The effect on pay, before contributions."},
        "items": {"type": "object", "additionalProperties": AMOUNTS},
        "months": {
            "type": "object",
            "description": "For `missed`: the wages and contributions of each calendar month.",
            "additionalProperties": {"type": "object", "additionalProperties": AMOUNTS},
        },
        "arithmetic": {"type": "array", "items": {"type": "string"}},
    },
}
PROPERTIES: JsonSchema = {
    "id": {"type": ["integer", "null"], "description": "Null for differences that are in no proposal yet."},
    "employee_id": json_schemas.IDENTIFIER,
    "treatment": one_of("retro_treatment").json_schema(),
    "status": {"enum": ["open", "proposed", "accepted", "paid", "declined"]},
    "payslip_id": {"type": ["integer", "null"], "description": "The payslip that pays it."},
    "total": AMOUNT,
    "rule": {"type": "string"},
    "source": {"type": "string"},
    "differences": {"type": "array", "items": DIFFERENCE},
    "created_at": {"type": ["string", "null"], "format": "date-time"},
    "updated_at": {"type": ["string", "null"], "format": "date-time"},
}
RETRO_PROPOSAL: JsonSchema = {
    "type": "object",
    "title": "RetroProposal",
    "required": list(PROPERTIES),
    "properties": PROPERTIES,
}
PROPOSAL_EXAMPLE: dict[str, Any] = {
    "id": None,
    "employee_id": 1,
    "treatment": DECIDED_LATER,
    "status": "open",
    "payslip_id": None,
    "total": "300.00",
    "rule": "An increment that was decided later …",
    "source": "CPF Board, retrospective salary increments",
    "differences": [
        {
            "payslip_id": 11,
            "start_date": "2026-01-01",
            "end_date": "2026-01-31",
            "total": "300.00",
            "items": {"basic_salary": {"paid": "3000.00", "due": "3300.00", "difference": "300.00"}},
            "months": {},
            "arithmetic": ["3300.00 − 3000.00 = 300.00"],
        }
    ],
    "created_at": None,
    "updated_at": None,
}
