"""UOB payment files: UFF-SG, one line of tilde-separated fields for each payment.

The layout is that of one public implementation, which cites the bank's workbook. A file has one payment method. GIRO
identifies banks by BIC, so account numbers include the branch. PayNow has the kind and the number in their place.
"""

from gaji.core.bank_accounts import BICS, UOB, strip_separators
from gaji.documents.ascii_names import to_ascii
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field
from gaji.engine.money import decimal_text
from gaji.law import paynow

GIRO, PAYNOW_GIRO = "IBG", "IBGPN"
COUNTRY, CURRENCY, SALARY = "SG", "SGD", "SALA"
MAX_ACCOUNT_NAME_LENGTH = 140
NAME_PART_LENGTH, NAME_PARTS = 70, 4
MAX_NAME_LENGTH = NAME_PART_LENGTH * NAME_PARTS
FIRST_NAME_PART_FIELD = 30
MAX_FILE_NUMBER = 999
MAX_CENTS = 10**18 - 1
REPLACED_CHARACTERS = frozenset("~")
HEADER_FIELDS, BATCH_FIELDS, DETAIL_FIELDS = 5, 14, 33
NO_ADVICE = "N"


def encode_giro(batch: GiroBatch) -> bytes:
    """Return the file of payments to accounts."""
    return _encode(batch, GIRO, giro_file_name(batch))


def encode_paynow(batch: GiroBatch) -> bytes:
    """Return the file of payments to PayNow numbers. All payees must have one."""
    return _encode(batch, PAYNOW_GIRO, paynow_file_name(batch))


def giro_file_name(batch: GiroBatch) -> str:
    """Return the file name that the bank expects."""
    return _file_name(batch, batch.sequence_number(MAX_FILE_NUMBER))


def paynow_file_name(batch: GiroBatch) -> str:
    """Return the file name that the bank expects. Its number is not that of the GIRO file of the same run."""
    return _file_name(batch, (batch.sequence_number(MAX_FILE_NUMBER) + MAX_FILE_NUMBER // 2) % MAX_FILE_NUMBER + 1)


def _file_name(batch: GiroBatch, number: int) -> str:
    return f"PAIDE{batch.created:%d%m}{number:03}"


def _encode(batch: GiroBatch, method: str, file_name: str) -> bytes:
    count = f"{len(batch.payees):010}"
    created = batch.created
    header = {1: "HD1", 2: file_name, 3: f"{created:%Y%m%d}", 4: f"{created:%H%M%S}", 5: BICS[UOB]}
    lines = [
        _line(header, HEADER_FIELDS),
        _line(_batch_header(batch, method), BATCH_FIELDS),
        *(_line(_detail(payee, method), DETAIL_FIELDS) for payee in batch.payees),
        _line({1: "FT2", 2: count, 3: f"{batch.total_cents:020}"}, 3),
        _line({1: "FT1", 2: count}, 2),
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _batch_header(batch: GiroBatch, method: str) -> dict[int, str]:
    payer = batch.payer
    return {
        1: "HD2",
        2: method,
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


def _detail(payee: GiroPayee, method: str) -> dict[int, str]:
    name = to_ascii(payee.name, REPLACED_CHARACTERS)
    return {
        1: "DTL",
        2: str(payee.payslip_id),
        3: decimal_text(payee.amount_cents),
        4: CURRENCY,
        10: SALARY,
        12: NO_ADVICE,
        **(
            _paynow_fields(payee)
            if method == PAYNOW_GIRO
            else {19: BICS[payee.account.bank_id], 20: payee.account.digits}
        ),
        21: name[:MAX_ACCOUNT_NAME_LENGTH].rstrip(),
        **{FIRST_NAME_PART_FIELD + index: _name_part(name, index) for index in range(NAME_PARTS)},
    }


def _paynow_fields(payee: GiroPayee) -> dict[int, str]:
    if payee.paynow is None:
        raise LookupError(f"employee {payee.employee_id} has no PayNow number")
    return {19: paynow.kind(payee.paynow).value, 20: payee.paynow}


def _name_part(name: str, index: int) -> str:
    return name[index * NAME_PART_LENGTH : (index + 1) * NAME_PART_LENGTH]


def _line(fields: dict[int, str], count: int) -> str:
    return "~".join([fields.get(number, "") for number in range(1, count + 1)])
