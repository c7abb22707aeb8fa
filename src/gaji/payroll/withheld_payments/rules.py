"""Pure checks of withheld payments."""

from datetime import date

from gaji.core.errors import Conflict, ErrorCode, Errors, Param
from gaji.payroll.withheld_payments.queries import ClearancePayment
from gaji.people.service_periods.queries import ClearanceTerm

PAYSLIP_NOT_FINALISED = ErrorCode("payslip_not_finalised", "the payslip is not finalised")
NOTHING_TO_WITHHOLD = ErrorCode("nothing_to_withhold", "the payslip has no nett pay")
CLEARANCE_NOT_REQUIRED = ErrorCode(
    "clearance_not_required", "the payslip belongs to a service that ended without `ir21`, or that has not ended"
)
NO_NOTICE_DATE = ErrorCode("no_notice_date", "the service of the payslip has no notice date")
ALREADY_WITHHELD = ErrorCode("already_withheld", "the payment is withheld, or was withheld and released")
ALREADY_PAID = ErrorCode("already_paid", "payment run {payment_run_id} is marked as paid on {payment_date}")


def require_withholdable(
    payslip_id: int, payment: ClearancePayment, service: ClearanceTerm | None, today: date, *, is_withheld: bool
) -> None:
    """Reject a payment that cannot be withheld for tax clearance: it is not due to a leaver, or it is paid."""
    if payment.nett_cents <= 0:
        raise not_withholdable(payslip_id, NOTHING_TO_WITHHOLD)
    if service is None or service.end is None or not service.ir21:
        raise not_withholdable(payslip_id, CLEARANCE_NOT_REQUIRED)
    if service.notice_date is None:
        raise not_withholdable(payslip_id, NO_NOTICE_DATE)
    if is_withheld:
        raise not_withholdable(payslip_id, ALREADY_WITHHELD)
    if payment.is_marked_paid and payment.payment_date <= today:
        run_id, day = payment.payment_run_id, payment.payment_date
        raise not_withholdable(payslip_id, ALREADY_PAID, payment_run_id=run_id, payment_date=day)


def not_withholdable(payslip_id: int, kind: ErrorCode, **params: Param) -> Conflict:
    """Return the error that says why the payment of a payslip cannot be withheld."""
    message = f"The payment of payslip {payslip_id} cannot be withheld: {kind.render(params)}"
    return Conflict(message, errors=Errors.single("payslip_id", kind, **params))
