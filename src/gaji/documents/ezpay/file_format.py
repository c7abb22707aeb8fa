"""Encoding of a submission: CPF EZPay (FTP) file specifications, in force from 16 January 2025.

Records are 150 bytes and end with CR LF. Text is padded with spaces on the right, numbers with zeros on the left. The
submission must have passed the checks in `rules`.
"""

from collections.abc import Iterator, Sequence

from gaji.documents.ascii_names import to_ascii
from gaji.documents.ezpay.submission import (
    CPF,
    CpfSubmission,
    SubmissionMember,
    SubmissionPayment,
    submission_payments,
)

RECORD_BYTES = 150
NAME_BYTES = 66
HEADER, SUMMARY, DETAIL, TRAILER = " ", "0", "1", "9"
FILE_ID = "FTP.DTL"
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def encode_submission(submission: CpfSubmission) -> bytes:
    """Return the content of the file."""
    payments = submission_payments(submission)
    records = [_header(submission), *(_summary(submission, payment) for payment in payments)]
    detailed = (payment for payment in payments if payment.kind.has_details)
    records += [record for payment in detailed for record in _details(submission, payment)]
    records.append(_trailer(submission, payments, len(records) + 1))
    return "".join(f"{record:{RECORD_BYTES}}\r\n" for record in records).encode("ascii")


def file_name(submission: CpfSubmission) -> str:
    """Return the file name that the CPF Board expects."""
    month = f"{MONTHS[submission.month.month - 1]}{submission.month.year:04}"
    return f"{submission.employer}{submission.payment_type}{submission.serial}{month}{submission.advice_code:02}.DTL"


def name_in_file(member: SubmissionMember) -> str:
    """Return the member's name as it appears in the file."""
    return to_ascii(member.name)[:NAME_BYTES].rstrip()


def _header(submission: CpfSubmission) -> str:
    return f"{_key(submission, HEADER)}{submission.created:%Y%m%d%H%M%S}{FILE_ID}"


def _summary(submission: CpfSubmission, payment: SubmissionPayment) -> str:
    kind = payment.kind
    donors = len(payment.members) if kind.is_fund or kind.has_donors else 0
    return f"{_key(submission, SUMMARY)}{_month(submission)}{kind.code}{payment.total_cents:012}{donors:07}"


def _details(submission: CpfSubmission, payment: SubmissionPayment) -> Iterator[str]:
    kind = payment.kind
    key = f"{_key(submission, DETAIL)}{_month(submission)}{kind.code}"
    for member in payment.members:
        if kind is CPF:
            account, status = member.nric, str(member.status)
            wages = f"{member.ordinary_cents:010}{member.additional_cents:010}"
        else:
            account, wages, status = member.identity_number, "0" * 20, " "
        yield f"{key}{account}{kind.amount_cents(member):012}{wages}{status}{name_in_file(member)}"


def _trailer(submission: CpfSubmission, payments: Sequence[SubmissionPayment], records: int) -> str:
    total_cents = sum(payment.total_cents for payment in payments)
    return f"{_key(submission, TRAILER)}{records:07}{total_cents:015}"


def _key(submission: CpfSubmission, record_type: str) -> str:
    employer = f"{submission.employer:10}{submission.payment_type}{submission.serial}"
    return f"F{record_type}{employer} {submission.advice_code:02}"


def _month(submission: CpfSubmission) -> str:
    return f"{submission.month.year:04}{submission.month.month:02}"
