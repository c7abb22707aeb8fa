"""Checks on a submission before it is encoded. All errors are reported at once."""

from collections.abc import Iterator

from gaji.core.errors import ErrorCode, Errors, FieldError
from gaji.documents.ascii_names import name_error, to_ascii
from gaji.documents.ezpay.submission import CPF, PAYMENT_KINDS, CpfSubmission, SubmissionMember, submission_payments
from gaji.engine.money import format_dollars

FORBIDDEN = frozenset('_+$<>:;?!=[]`^|\\"~')
MAX_AMOUNT_CENTS = 10**12 - 1
MAX_WAGES_CENTS = 10**10 - 1

CPF_WITHOUT_NRIC = ErrorCode("cpf_without_nric", "CPF is payable but the employee has no NRIC")
FUND_WITHOUT_IDENTITY = ErrorCode(
    "fund_without_identity_number", "{funds} is payable but the employee has no NRIC or FIN"
)
NEGATIVE_AMOUNT = ErrorCode("negative_month_amount", "{item} for the month is negative: {amount}")
AMOUNT_TOO_LARGE = ErrorCode(
    "month_amount_too_large", "{item} for the month is {amount}; the file allows at most {maximum}"
)
TOTAL_TOO_LARGE = ErrorCode("payment_total_too_large", "{item} totals {amount}; the file allows at most {maximum}")


def member_errors(submission: CpfSubmission) -> dict[int, list[FieldError]]:
    """Return by employee what the file cannot hold."""
    errors = {member.employee_id: list(_member_errors(member)) for member in submission.members}
    return {employee_id: problems for employee_id, problems in errors.items() if problems}


def total_errors(submission: CpfSubmission) -> Errors:
    """Return by payment code the totals that are too large, although each member's amount is not."""
    errors = Errors()
    for payment in submission_payments(submission):
        if payment.total_cents > MAX_AMOUNT_CENTS:
            errors.add(
                f"payments.{payment.kind.code}",
                TOTAL_TOO_LARGE,
                item=payment.kind.name,
                amount=format_dollars(payment.total_cents),
                maximum=format_dollars(MAX_AMOUNT_CENTS),
            )
    return errors


def _member_errors(member: SubmissionMember) -> Iterator[FieldError]:
    payable = [kind for kind in PAYMENT_KINDS if kind.amount_cents(member)]
    detailed = [kind for kind in payable if kind.has_details]
    funds = [kind.name for kind in detailed if kind.is_fund]
    if CPF in detailed and member.nric is None:
        yield FieldError("nric", CPF_WITHOUT_NRIC)
    if funds and member.identity_number is None:
        yield FieldError("nric", FUND_WITHOUT_IDENTITY, {"funds": " and ".join(funds)})
    if detailed and (error := name_error("name", member.name, to_ascii(member.name), FORBIDDEN)):
        yield error
    for kind in payable:
        yield from _amount_errors(kind.name, kind.amount_cents(member), MAX_AMOUNT_CENTS)
    if CPF in detailed:
        yield from _amount_errors("ordinary wages", member.ordinary_cents, MAX_WAGES_CENTS)
        yield from _amount_errors("additional wages", member.additional_cents, MAX_WAGES_CENTS)


def _amount_errors(item: str, amount_cents: int, max_cents: int) -> Iterator[FieldError]:
    amount = format_dollars(amount_cents)
    if amount_cents < 0:
        yield FieldError("payslips", NEGATIVE_AMOUNT, {"item": item, "amount": amount})
    if amount_cents > max_cents:
        maximum = format_dollars(max_cents)
        yield FieldError("payslips", AMOUNT_TOO_LARGE, {"item": item, "amount": amount, "maximum": maximum})
