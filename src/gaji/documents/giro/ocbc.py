"""OCBC payment file: GIRO/FAST with invoice details, records of 1,000 bytes without a trailer.

The layout of the header is the bank's (V1.5). That of the details is the one of two public implementations. Employees'
banks are identified by BIC, so account numbers include the branch.
"""

from functools import partial

from gaji.core.bank_accounts import BICS, OCBC, strip_separators
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field, number_field, text_field
from gaji.law import paynow

RECORD_BYTES = 1000
PAYROLL, SALARY = "30", "SALA"
GIRO, FAST = "GIRO", "FAST"
PAYMENT_DETAILS = "SALARY"
MAX_NAME_LENGTH = 140
MAX_CENTS = 10**17 - 1
MAX_FAST_CENTS = 200_000_00
"""FAST transfers have a limit of $200,000."""


def encode(batch: GiroBatch, clearing: str) -> bytes:
    """Return the content of the file."""
    records = [_header(batch, clearing), *(_detail(payee) for payee in batch.payees)]
    return "".join(f"{record:{RECORD_BYTES}}\r\n" for record in records).encode("ascii")


def file_name(batch: GiroBatch, clearing: str) -> str:
    """Return the name of the file."""
    return f"ocbc_{clearing.lower()}_{batch.payment_run_id}.txt"


def _header(batch: GiroBatch, clearing: str) -> str:
    return (
        f"{PAYROLL}{'':3}{batch.created:%Y%m%d}{BICS[OCBC]}"
        f"{text_field(strip_separators(batch.payer.account_number), 34)}{'':3}{'':20}{'':120}{'':4}"
        f"{clearing}{text_field(f'RUN{batch.payment_run_id}', 16)}{batch.payees[0].pay_date:%d%m%Y}"
    )


def _detail(payee: GiroPayee) -> str:
    return (
        f"{_account_fields(payee)}{text_field(name_field(payee.name, MAX_NAME_LENGTH), MAX_NAME_LENGTH)}{'':3}"
        f"{number_field(payee.amount_cents, 17)}{text_field(PAYMENT_DETAILS, 35)}{SALARY}"
        f"{text_field(str(payee.payslip_id), 35)}{'':140}{'':140}{'':1}{'':255}{_paynow_fields(payee)}"
    )


def _account_fields(payee: GiroPayee) -> str:
    """Return the bank and the account. Both are blank for PayNow; otherwise the bank would pay to the account."""
    if payee.paynow:
        return f"{'':11}{'':34}"
    return f"{BICS[payee.account.bank_id]}{text_field(payee.account.digits, 34)}"


def _paynow_fields(payee: GiroPayee) -> str:
    number = payee.paynow
    return f"{text_field(paynow.kind(number), 12)}{text_field(number, 140)}" if number else ""


encode_giro, encode_fast = partial(encode, clearing=GIRO), partial(encode, clearing=FAST)
giro_file_name, fast_file_name = partial(file_name, clearing=GIRO), partial(file_name, clearing=FAST)
