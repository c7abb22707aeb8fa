"""UOB payment file: UFF-SG, one line of tilde-separated fields for each GIRO payment.

The layout is that of one public implementation, which cites the bank's workbook. Employees' banks are identified
by BIC, so account numbers include the branch.
"""

from gaji.documents.ascii_names import to_ascii
from gaji.documents.giro.accounts import BICS, UOB, strip_separators
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field
from gaji.engine.money import decimal_text

GIRO, COUNTRY, CURRENCY, SALARY = "IBG", "SG", "SGD", "SALA"
MAX_ACCOUNT_NAME_LENGTH = 140
NAME_PART_LENGTH, NAME_PARTS = 70, 4
MAX_NAME_LENGTH = NAME_PART_LENGTH * NAME_PARTS
FIRST_NAME_PART_FIELD = 30
MAX_FILE_NUMBER = 999
MAX_CENTS = 10**18 - 1
REPLACED_CHARACTERS = frozenset("~")
HEADER_FIELDS, BATCH_FIELDS, DETAIL_FIELDS = 5, 14, 33
NO_ADVICE = "N"


def encode(batch: GiroBatch) -> bytes:
    """Return the content of the file."""
    count = f"{len(batch.payees):010}"
    lines = [
        _line(_file_header(batch), HEADER_FIELDS),
        _line(_batch_header(batch), BATCH_FIELDS),
        *(_line(_detail(payee), DETAIL_FIELDS) for payee in batch.payees),
        _line({1: "FT2", 2: count, 3: f"{batch.total_cents:020}"}, 3),
        _line({1: "FT1", 2: count}, 2),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def file_name(batch: GiroBatch) -> str:
    """Return the file name that the bank expects."""
    return f"PAIDE{batch.created:%d%m}{batch.sequence_number(MAX_FILE_NUMBER):03}"


def _file_header(batch: GiroBatch) -> dict[int, str]:
    created = batch.created
    return {1: "HD1", 2: file_name(batch), 3: f"{created:%Y%m%d}", 4: f"{created:%H%M%S}", 5: BICS[UOB]}


def _batch_header(batch: GiroBatch) -> dict[int, str]:
    payer = batch.payer
    return {
        1: "HD2",
        2: GIRO,
        3: f"{batch.payees[0].pay_date:%Y%m%d}",
        4: to_ascii(payer.company_id or "", REPLACED_CHARACTERS),
        7: f"RUN{batch.payment_run_id}",
        8: SALARY,
        10: BICS[UOB],
        11: COUNTRY,
        12: strip_separators(payer.account_number),
        13: CURRENCY,
        14: name_field(payer.account_name or "", MAX_ACCOUNT_NAME_LENGTH, REPLACED_CHARACTERS),
    }


def _detail(payee: GiroPayee) -> dict[int, str]:
    account = payee.account
    name = to_ascii(payee.name, REPLACED_CHARACTERS)
    return {
        1: "DTL",
        2: str(payee.payslip_id),
        3: decimal_text(payee.amount_cents),
        4: CURRENCY,
        10: SALARY,
        12: NO_ADVICE,
        19: BICS[account.bank_id],
        20: account.digits,
        21: name[:MAX_ACCOUNT_NAME_LENGTH].rstrip(),
        **{FIRST_NAME_PART_FIELD + index: _name_part(name, index) for index in range(NAME_PARTS)},
    }


def _name_part(name: str, index: int) -> str:
    return name[index * NAME_PART_LENGTH : (index + 1) * NAME_PART_LENGTH]


def _line(fields: dict[int, str], count: int) -> str:
    return "~".join(fields.get(number, "") for number in range(1, count + 1))
