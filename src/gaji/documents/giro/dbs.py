"""Payments for DBS: IDEAL UFF 1.9.3, one line of comma-separated fields for each, as bulk GIRO.

Of the header nothing is settled but that it is there. The transaction code for salaries is not verified, so payments
are the sundry credits (20) that the form has beside it.
"""

from gaji.documents.giro.accounts import compact
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.ascii_names import spelled
from gaji.engine.money import decimal_text

BULK_GIRO, SUNDRY_CREDIT, CURRENCY, PAID_BY_PAYER = "BPY", "20", "SGD", "OUR"
PARTICULARS = "SALARY"
NAME_LETTERS = 35
MOST_BATCH = 99_999
MOST_CENTS = 10**11 - 1
BLANKED = frozenset(',"')


def written(batch: GiroBatch) -> bytes:
    """The file."""
    trailer = {1: "TRAILER", 2: f"{len(batch.payees):08}", 3: decimal_text(batch.total_cents)}
    lines = [_line({1: "HEADER"}), *(_line(_payment(batch, one)) for one in batch.payees), _line(trailer)]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def file_name(batch: GiroBatch) -> str:
    """What the file is called."""
    return f"dbs_giro_{batch.payment_run_id}.csv"


def _payment(batch: GiroBatch, one: GiroPayee) -> dict[int, str]:
    """The fields by their numbers: 2 is D02."""
    account = one.account
    return {
        1: "PAYMENT",
        2: BULK_GIRO,
        3: compact(batch.payer.account_number),
        4: CURRENCY,
        5: str(one.payslip_id),
        6: CURRENCY,
        7: f"{batch.number(MOST_BATCH):05}",
        8: f"{one.pay_date:%d%m%Y}",
        9: PAID_BY_PAYER,
        11: spelled(one.name, BLANKED)[:NAME_LETTERS].rstrip(),
        16: account.beside_branch,
        18: f"{account.bank_id:04}",
        19: account.branch_code,
        28: decimal_text(one.cents),
        33: SUNDRY_CREDIT,
        34: PARTICULARS,
    }


def _line(fields: dict[int, str]) -> str:
    """The fields from the first to the last that is not empty."""
    return ",".join(fields.get(number, "") for number in range(1, max(fields) + 1))
