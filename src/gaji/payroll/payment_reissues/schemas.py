"""Request and response schemas of reissued payments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Integer, JsonSchema
from gaji.core.validation import Attribute, Record, Rule, Schema

MAX_PAYSLIPS = 1000

NOT_PAYSLIP_IDS = ErrorCode("not_payslip_ids", "must be an array of 1 to {maximum:,} payslip IDs")
REPEATED_PAYSLIP = ErrorCode("repeated_payslip", "must not contain the same payslip twice")
NOT_PAID_BY_RUN = ErrorCode("not_paid_by_run", "payslip {id} is not a payment of this payment run")
PAYMENT_WITHHELD = ErrorCode(
    "payment_withheld", "the payment of payslip {id} is subject to tax clearance; each release has its own file"
)


class ReissueInput(msgspec.Struct, frozen=True, kw_only=True):
    """A valid reissue."""

    payslip_ids: Sequence[int]


@dataclass(frozen=True)
class PayslipIdList:
    """The IDs of payslips, without repetition."""

    def parse(self, value: object, path: str, errors: Errors) -> list[int] | None:
        if not isinstance(value, list) or not 0 < len(value) <= MAX_PAYSLIPS:
            errors.add(path, NOT_PAYSLIP_IDS, maximum=MAX_PAYSLIPS)
            return None
        parsed = [Integer(minimum=1).parse(item, f"{path}.{index}", errors) for index, item in enumerate(value)]
        payslip_ids = [item for item in parsed if item is not None]
        if len(set(payslip_ids)) < len(payslip_ids):
            errors.add(path, REPEATED_PAYSLIP)
        return payslip_ids

    def json_schema(self) -> JsonSchema:
        identifier = {"type": "integer", "minimum": 1}
        return {"type": "array", "minItems": 1, "maxItems": MAX_PAYSLIPS, "uniqueItems": True, "items": identifier}


REISSUE = Schema(
    "payment_reissue",
    (
        Attribute(
            "payslip_ids",
            PayslipIdList(),
            "The payslips whose payments are made again.",
            required=True,
            example=[7],
        ),
    ),
    read_only=("id", "created_at", "created_by"),
    struct=ReissueInput,
)
REISSUE_PROPERTIES: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "payslip_ids": {"type": "array", "items": json_schemas.IDENTIFIER},
    "created_at": json_schemas.TIMESTAMP,
    "created_by": {"type": ["string", "null"], "description": "The name or email address of the user."},
}
PAYMENT_REISSUE: JsonSchema = {
    "type": "object",
    "title": "PaymentReissue",
    "required": list(REISSUE_PROPERTIES),
    "properties": REISSUE_PROPERTIES,
}
REISSUE_EXAMPLE: dict[str, Any] = {
    "id": 1,
    "payslip_ids": [7],
    "created_at": "2026-02-04T10:30:00.000000+08:00",
    "created_by": "Mei Ling Tan",
}


def payable_rule(withheld: Mapping[int, bool]) -> Rule:
    """Return the check that the run pays each payslip, given whether each payment of the run is withheld."""

    def check(record: Record, errors: Errors) -> None:
        for index, payslip_id in enumerate(record["payslip_ids"] or ()):
            if payslip_id not in withheld:
                errors.add(f"payslip_ids.{index}", NOT_PAID_BY_RUN, id=payslip_id)
            elif withheld[payslip_id]:
                errors.add(f"payslip_ids.{index}", PAYMENT_WITHHELD, id=payslip_id)

    return check
