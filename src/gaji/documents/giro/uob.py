"""Payments for UOB: UFF-SG, one line of fields with tildes between them for each, as GIRO.

Of the file header nothing is settled but that it is there. Employees' banks are named by their BIC, so account numbers
are whole.
"""

from gaji.documents.giro.accounts import BICS, UOB, compact
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.ascii_names import spelled
from gaji.engine.money import decimal_text

GIRO, COUNTRY, CURRENCY, SALARY = "IBG", "SG", "SGD", "SALA"
ACCOUNT_NAME_LETTERS = 140
PIECE_LETTERS, PIECES = 70, 4
NAME_LETTERS = PIECE_LETTERS * PIECES
FIRST_PIECE = 30
MOST_FILE = 999
MOST_CENTS = 10**18 - 1
BLANKED = frozenset("~")
BATCH_FIELDS, DETAIL_FIELDS = 14, 33


def written(batch: GiroBatch) -> bytes:
    """The file."""
    count = f"{len(batch.payees):010}"
    lines = [
        _line({1: "HD1"}, 1),
        _line(_batch(batch), BATCH_FIELDS),
        *(_line(_detail(one), DETAIL_FIELDS) for one in batch.payees),
        _line({1: "FT2", 2: count, 3: f"{batch.total_cents:020}"}, 3),
        _line({1: "FT1", 2: count}, 2),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def file_name(batch: GiroBatch) -> str:
    """What the bank wants the file to be called."""
    return f"PAIDE{batch.created:%d%m}{batch.number(MOST_FILE):03}"


def _batch(batch: GiroBatch) -> dict[int, str]:
    payer = batch.payer
    return {
        1: "HD2",
        2: GIRO,
        3: f"{batch.payees[0].pay_date:%Y%m%d}",
        4: spelled(payer.company_id or "", BLANKED),
        7: f"RUN{batch.payment_run_id}",
        10: BICS[UOB],
        11: COUNTRY,
        12: compact(payer.account_number),
        13: CURRENCY,
        14: spelled(payer.account_name or "", BLANKED),
    }


def _detail(one: GiroPayee) -> dict[int, str]:
    account = one.account
    name = spelled(one.name, BLANKED)
    pieces = {FIRST_PIECE + place: _piece(name, place) for place in range(PIECES)}
    return {
        1: "DTL",
        2: str(one.payslip_id),
        3: decimal_text(one.cents),
        4: CURRENCY,
        10: SALARY,
        19: BICS[account.bank_id],
        20: account.digits,
        21: name[:ACCOUNT_NAME_LETTERS].rstrip(),
        **pieces,
    }


def _piece(name: str, place: int) -> str:
    return name[place * PIECE_LETTERS : (place + 1) * PIECE_LETTERS]


def _line(fields: dict[int, str], count: int) -> str:
    return "~".join(fields.get(number, "") for number in range(1, count + 1))
