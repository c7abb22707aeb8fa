"""The bytes of a submission: CPF EZPay (FTP) file specifications, in force from 16 January 2025.

Records are 150 bytes and end with CR LF. Text is filled up with spaces on its right, numbers with zeros on their left.
Nothing is checked here that `faults` finds.
"""

from collections.abc import Iterator

from gaji.documents.ezpay.submission import CPF, SubmissionMember, Payment, CpfSubmission, payments
from gaji.documents.ascii_names import spelled

RECORD_BYTES = 150
NAME_BYTES = 66
HEADER, SUMMARY, DETAIL, TRAILER = " ", "0", "1", "9"
FILE_ID = "FTP.DTL"
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def encode_submission(submission: CpfSubmission) -> bytes:
    """The file."""
    paid = payments(submission)
    records = [_header(submission), *(_summary(submission, one) for one in paid)]
    records += [record for one in paid if one.kind.has_details for record in _details(submission, one)]
    records.append(_trailer(submission, paid, len(records) + 1))
    return "".join(f"{record:{RECORD_BYTES}}\r\n" for record in records).encode("ascii")


def file_name(submission: CpfSubmission) -> str:
    """What the file is called where it is handed in."""
    month = f"{MONTHS[submission.month.month - 1]}{submission.month.year:04}"
    return f"{submission.employer}{submission.payment_type}{submission.serial}{month}{submission.advice_code:02}.DTL"


def name_of(member: SubmissionMember) -> str:
    """The name as the file has it."""
    return spelled(member.name)[:NAME_BYTES].rstrip()


def _header(submission: CpfSubmission) -> str:
    return f"{_key(submission, HEADER)}{submission.created:%Y%m%d%H%M%S}{FILE_ID}"


def _summary(submission: CpfSubmission, paid: Payment) -> str:
    donors = len(paid.members) if paid.kind.is_fund else 0
    return f"{_key(submission, SUMMARY)}{_month(submission)}{paid.kind.code}{paid.cents:012}{donors:07}"


def _details(submission: CpfSubmission, paid: Payment) -> Iterator[str]:
    key = f"{_key(submission, DETAIL)}{_month(submission)}{paid.kind.code}"
    for one in paid.members:
        if paid.kind is CPF:
            account, wages, status = one.nric, f"{one.ordinary_cents:010}{one.additional_cents:010}", str(one.status)
        else:
            account, wages, status = one.identity_number, "0" * 20, " "
        yield f"{key}{account}{paid.kind.of(one):012}{wages}{status}{name_of(one)}"


def _trailer(submission: CpfSubmission, paid: list[Payment], records: int) -> str:
    return f"{_key(submission, TRAILER)}{records:07}{sum(one.cents for one in paid):015}"


def _key(submission: CpfSubmission, record_type: str) -> str:
    employer = f"{submission.employer:10}{submission.payment_type}{submission.serial}"
    return f"F{record_type}{employer} {submission.advice_code:02}"


def _month(submission: CpfSubmission) -> str:
    return f"{submission.month.year:04}{submission.month.month:02}"
