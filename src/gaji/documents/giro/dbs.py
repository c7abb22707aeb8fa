"""DBS payment file: IDEAL UFF 1.9.3, one line of comma-separated fields for each bulk GIRO payment.

The layout is that of two public implementations, one of which cites the bank's document.
"""

from gaji.core.bank_accounts import strip_separators
from gaji.documents.ascii_names import to_ascii
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import day_field, name_field
from gaji.engine.money import decimal_text

BULK_GIRO, SALARY_CREDIT, CURRENCY, PAID_BY_PAYER = "BPY", "22", "SGD", "OUR"
PARTICULARS = "SALARY"
MAX_NAME_LENGTH = 35
MAX_COMPANY_ID_LENGTH = 12
MAX_BATCH_NUMBER = 99_999
MAX_CENTS = 10**11 - 1
REPLACED_CHARACTERS = frozenset(',"')


def encode(batch: GiroBatch) -> bytes:
    """Return the content of the file."""
    payer = batch.payer
    header = {
        1: "HEADER",
        2: f"{batch.created:%d%m%Y}",
        3: to_ascii(payer.company_id or "", REPLACED_CHARACTERS),
        4: name_field(payer.account_name or "", MAX_NAME_LENGTH, REPLACED_CHARACTERS),
    }
    trailer = {1: "TRAILER", 2: f"{len(batch.payees):08}", 3: decimal_text(batch.total_cents)}
    lines = [_line(header), *(_line(_payment(batch, payee)) for payee in batch.payees), _line(trailer)]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def file_name(batch: GiroBatch) -> str:
    """Return the name of the file."""
    return f"dbs_giro_{batch.payment_run_id}.csv"


def _payment(batch: GiroBatch, payee: GiroPayee) -> dict[int, str]:
    """Return the fields by number: 2 is field D02."""
    account = payee.account
    return {
        1: "PAYMENT",
        2: BULK_GIRO,
        3: strip_separators(batch.payer.account_number),
        4: CURRENCY,
        5: str(payee.payslip_id),
        6: CURRENCY,
        7: f"{batch.sequence_number(MAX_BATCH_NUMBER):05}",
        8: day_field(payee.pay_date),
        9: PAID_BY_PAYER,
        11: name_field(payee.name, MAX_NAME_LENGTH, REPLACED_CHARACTERS),
        16: account.number_without_branch,
        18: f"{account.bank_id:04}",
        19: account.branch_code,
        28: decimal_text(payee.amount_cents),
        33: SALARY_CREDIT,
        34: PARTICULARS,
    }


def _line(fields: dict[int, str]) -> str:
    """Return a line that ends with the last field that is present."""
    return ",".join([fields.get(number, "") for number in range(1, max(fields) + 1)])
