"""Endpoints of withheld payments."""

from typing import Any

import msgspec

from gaji.core import json_schemas
from gaji.engine.money import decimal_text, format_dollars
from gaji.payroll.withheld_payments import service
from gaji.payroll.withheld_payments.queries import EMPLOYEE, IRAS, ClearancePayment, PaymentRelease
from gaji.payroll.withheld_payments.schemas import (
    PAYMENT_RELEASE,
    RELEASE,
    RELEASE_EXAMPLE,
    WITHHELD_EXAMPLE,
    WITHHELD_PAYMENT,
)
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Withheld payments")


@router.get(
    "/employees/{employee_id}/withheld_payments",
    response_schema=json_schemas.list_schema("withheld_payment", WITHHELD_PAYMENT),
    has_rules_version=True,
    error_statuses=[403],
    example=[{"withheld_payment": WITHHELD_EXAMPLE}],
)
async def list_withheld_payments(request: Request) -> Response:
    """List the payments of an employee that are, or were, withheld for tax clearance (IR21)."""
    payments = await service.list_withheld(request.tenant, request.ids["employee_id"])
    response = json_response([{"withheld_payment": _payment_json(payment)} for payment in payments])
    return response.with_rules_version(payment.rules_version for payment in payments if payment.rules_version)


@router.post(
    "/payslips/{payslip_id}/release_payment",
    body_schema=RELEASE.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def release_payment(request: Request) -> Response:
    """Release a payment that is withheld for tax clearance (IR21), or a part of it. The body is optional."""
    payslip_id = request.ids["payslip_id"]
    body = request.body if request.raw_body else {}
    cents, validated = await service.release_payment(request.tenant, payslip_id, body)
    message = "The payment of the payslip has been released"
    if validated.data.amount_cents is not None or validated.data.to == IRAS:
        recipient = "the tax authority" if validated.data.to == IRAS else "the employee"
        message = f"{format_dollars(cents)} of the payslip has been released to {recipient}"
    return saved_response(message, id=payslip_id, warnings=validated.warnings)


@router.post("/payslips/{payslip_id}/withhold_payment", response_schema=json_schemas.SAVED)
async def withhold_payment(request: Request) -> Response:
    """Withhold a payment for tax clearance (IR21) that the payment run does not withhold, until it is released."""
    payslip_id = request.ids["payslip_id"]
    await service.withhold_payment(request.tenant, payslip_id)
    return saved_response("The payment of the payslip is withheld", id=payslip_id)


@router.get(
    "/payslips/{payslip_id}/payment_releases",
    response_schema=json_schemas.list_schema("payment_release", PAYMENT_RELEASE),
    error_statuses=[403],
    example=[{"payment_release": RELEASE_EXAMPLE}],
)
async def list_payment_releases(request: Request) -> Response:
    """List the releases of a payslip's payment, in the order in which they were made."""
    releases = await service.list_releases(request.tenant, request.ids["payslip_id"])
    return json_response([{"payment_release": _release_json(release)} for release in releases])


def _payment_json(payment: ClearancePayment) -> dict[str, Any]:
    return {
        "payslip_id": payment.payslip_id,
        "date": payment.end_date,
        "pay_date": payment.pay_date,
        "nett_pay": _amount(payment.nett_cents),
        "released_to_employee": _amount(payment.released_cents(EMPLOYEE)),
        "released_to_iras": _amount(payment.released_cents(IRAS)),
        "withheld": _amount(payment.withheld_cents),
    }


def _release_json(release: PaymentRelease) -> dict[str, Any]:
    return {
        "id": release.id,
        "payslip_id": release.payslip_id,
        "amount": _amount(release.amount),
        "to": release.recipient,
        "created_at": release.created_at,
    }


def _amount(cents: int) -> msgspec.Raw:
    """Return an amount as a JSON number."""
    return msgspec.Raw(decimal_text(cents).encode())
