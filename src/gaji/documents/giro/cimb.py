"""CIMB payment file: BizChannel bulk payment, comma-separated fields.

The layout is that of one public implementation. The file has a separate field for the branch.
"""

from gaji.core.bank_accounts import strip_separators
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field
from gaji.engine.money import decimal_text

CURRENCY, REMARK, NO_ADVICE = "SGD", "SALARY", "N"
MAX_NAME_LENGTH = 100
MAX_CENTS = 10**16 - 1
MAX_PAYMENTS = 99_999
REPLACED_CHARACTERS = frozenset(',"')


def encode(batch: GiroBatch) -> bytes:
    """Return the content of the file."""
    lines = [_header(batch), *(_detail(payee) for payee in batch.payees)]
    return "".join(f"{','.join(fields)}\r\n" for fields in lines).encode("ascii")


def file_name(batch: GiroBatch) -> str:
    """Return the name of the file."""
    return f"cimb_giro_{batch.payment_run_id}.csv"


def _header(batch: GiroBatch) -> list[str]:
    payer = batch.payer
    return [
        strip_separators(payer.account_number),
        name_field(payer.account_name or "", MAX_NAME_LENGTH, REPLACED_CHARACTERS),
        CURRENCY,
        decimal_text(batch.total_cents),
        f"{REMARK} RUN {batch.payment_run_id}",
        str(len(batch.payees)),
        f"{batch.payees[0].pay_date:%Y%m%d}",
    ]


def _detail(payee: GiroPayee) -> list[str]:
    account = payee.account
    return [
        account.number_without_branch,
        name_field(payee.name, MAX_NAME_LENGTH, REPLACED_CHARACTERS),
        CURRENCY,
        decimal_text(payee.amount_cents),
        f"{REMARK} {payee.payslip_id}",
        f"{account.bank_id:04}",
        account.branch_code,
        NO_ADVICE,
        "",
    ]
