"""Request and response schemas of withheld payments."""

from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.core.amounts import NonNegativeAmount
from gaji.core.constants import one_of
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import JsonSchema
from gaji.core.validation import Attribute, Record, Rule, Schema
from gaji.engine.money import decimal_text
from gaji.payroll.withheld_payments.queries import EMPLOYEE

NOTHING_TO_RELEASE = ErrorCode("nothing_to_release", "must be above 0")
ABOVE_WITHHELD = ErrorCode("above_withheld", "must not be above {withheld}, which is what is withheld")


class ReleaseInput(msgspec.Struct, frozen=True, kw_only=True):
    """A valid release."""

    amount_cents: int | None
    """None releases everything that is withheld."""
    to: str


RELEASE = Schema(
    "payment_release",
    (
        Attribute(
            "amount",
            NonNegativeAmount(),
            "The amount to release. Default: everything that is withheld.",
            example="500.00",
            field="amount_cents",
        ),
        Attribute(
            "to",
            one_of("release_recipient"),
            "`employee`: in the payment files of the run. `iras`: paid to the tax authority, in no file.",
            default=EMPLOYEE,
        ),
    ),
    read_only=(),
    struct=ReleaseInput,
)

AMOUNT: JsonSchema = {"type": "number"}
DATE: JsonSchema = {"type": "string", "format": "date"}
RELEASE_PROPERTIES: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "payslip_id": json_schemas.IDENTIFIER,
    "amount": AMOUNT,
    "to": {"enum": ["employee", "iras"]},
    "created_at": json_schemas.TIMESTAMP,
}
PAYMENT_RELEASE: JsonSchema = {
    "type": "object",
    "title": "PaymentRelease",
    "required": list(RELEASE_PROPERTIES),
    "properties": RELEASE_PROPERTIES,
}
RELEASE_EXAMPLE: dict[str, Any] = {
    "id": 3,
    "payslip_id": 7,
    "amount": 500.0,
    "to": "iras",
    "created_at": "2026-03-02T10:30:00.000000+08:00",
}
WITHHELD_PROPERTIES: JsonSchema = {
    "payslip_id": json_schemas.IDENTIFIER,
    "date": DATE | {"description": "The last day of the pay period."},
    "pay_date": DATE,
    "nett_pay": AMOUNT,
    "released_to_employee": AMOUNT,
    "released_to_iras": AMOUNT,
    "withheld": AMOUNT | {"description": "What has not been released."},
}
WITHHELD_PAYMENT: JsonSchema = {
    "type": "object",
    "title": "WithheldPayment",
    "required": list(WITHHELD_PROPERTIES),
    "properties": WITHHELD_PROPERTIES,
}
WITHHELD_EXAMPLE: dict[str, Any] = {
    "payslip_id": 7,
    "date": "2026-02-28",
    "pay_date": "2026-02-28",
    "nett_pay": 600.0,
    "released_to_employee": 0.0,
    "released_to_iras": 500.0,
    "withheld": 100.0,
}


def within_withheld_rule(withheld_cents: int) -> Rule:
    """Return the check that a release is above zero and not above what is withheld."""

    def check(record: Record, errors: Errors) -> None:
        amount_cents = record["amount_cents"]
        if amount_cents == 0:
            errors.add("amount", NOTHING_TO_RELEASE)
        elif amount_cents is not None and amount_cents > withheld_cents:
            errors.add("amount", ABOVE_WITHHELD, withheld=decimal_text(withheld_cents))

    return check
