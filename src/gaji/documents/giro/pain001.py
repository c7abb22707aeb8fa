"""ISO 20022 customer credit transfer initiation, pain.001, for banks without a format of their own.

Versions 001.001.03 and 001.001.09. The messages have only elements that every bank knows. Banks may want more, such as
a service level: ask yours. Employees' banks are identified by BIC, so account numbers include the branch.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from itertools import groupby
from xml.sax.saxutils import escape

from gaji.core.bank_accounts import BICS, strip_separators
from gaji.documents.giro.batch import GiroBatch, GiroPayee
from gaji.documents.giro.fields import name_field
from gaji.engine.money import decimal_text
from gaji.law import paynow

VERSION_3, VERSION_9 = "03", "09"
CURRENCY, SALARY, REMITTANCE = "SGD", "SALA", "SALARY"
MAX_NAME_LENGTH = 140
MAX_CENTS = 10**17 - 1
ALLOWED_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-?:().,'+ ")
REPLACED_CHARACTERS = frozenset(chr(code) for code in range(0x20, 0x7F)) - ALLOWED_CHARACTERS
"""Characters that banks refuse in names, although XML allows them."""


def encode(batch: GiroBatch, version: str) -> bytes:
    """Return the message."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.{version}">',
        "<CstmrCdtTrfInitn>",
        *_group_header(batch),
        *(line for day, payees in _by_date(batch) for line in _payment(batch, day, payees, version)),
        "</CstmrCdtTrfInitn>",
        "</Document>",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def file_name(batch: GiroBatch, version: str) -> str:
    """Return the name of the file."""
    return f"pain001_{version}_{batch.payment_run_id}.xml"


def _by_date(batch: GiroBatch) -> Iterator[tuple[date, Sequence[GiroPayee]]]:
    ordered = sorted(batch.payees, key=lambda payee: payee.pay_date)
    for day, payees in groupby(ordered, key=lambda payee: payee.pay_date):
        yield day, list(payees)


def _group_header(batch: GiroBatch) -> list[str]:
    message_id = f"RUN{batch.payment_run_id}-{batch.created:%Y%m%d%H%M%S}"
    return [
        "<GrpHdr>",
        f"<MsgId>{message_id}</MsgId>",
        f"<CreDtTm>{batch.created:%Y-%m-%dT%H:%M:%S}</CreDtTm>",
        *_totals(batch.payees),
        f"<InitgPty><Nm>{_payer_name(batch)}</Nm></InitgPty>",
        "</GrpHdr>",
    ]


def _payment(batch: GiroBatch, day: date, payees: Sequence[GiroPayee], version: str) -> list[str]:
    """Return one debit of the payer on a day, with its transfers."""
    execution_date = f"{day}" if version == VERSION_3 else f"<Dt>{day}</Dt>"
    account = strip_separators(batch.payer.account_number)
    return [
        "<PmtInf>",
        f"<PmtInfId>RUN{batch.payment_run_id}-{day:%Y%m%d}</PmtInfId>",
        "<PmtMtd>TRF</PmtMtd>",
        "<BtchBookg>true</BtchBookg>",
        *_totals(payees),
        f"<PmtTpInf><CtgyPurp><Cd>{SALARY}</Cd></CtgyPurp></PmtTpInf>",
        f"<ReqdExctnDt>{execution_date}</ReqdExctnDt>",
        f"<Dbtr><Nm>{_payer_name(batch)}</Nm></Dbtr>",
        f"<DbtrAcct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>{CURRENCY}</Ccy></DbtrAcct>",
        f"<DbtrAgt>{_bank(batch.payer.bank_id, version)}</DbtrAgt>",
        *(_transfer(payee, version) for payee in payees),
        "</PmtInf>",
    ]


def _transfer(payee: GiroPayee, version: str) -> str:
    name = escape(name_field(payee.name, MAX_NAME_LENGTH, REPLACED_CHARACTERS))
    return (
        f"<CdtTrfTxInf><PmtId><EndToEndId>{payee.payslip_id}</EndToEndId></PmtId>"
        f'<Amt><InstdAmt Ccy="{CURRENCY}">{decimal_text(payee.amount_cents)}</InstdAmt></Amt>'
        f"{_creditor(payee, name, version)}"
        f"<Purp><Cd>{SALARY}</Cd></Purp>"
        f"<RmtInf><Ustrd>{REMITTANCE}</Ustrd></RmtInf></CdtTrfTxInf>"
    )


def _creditor(payee: GiroPayee, name: str, version: str) -> str:
    """Return the bank, the name and the account of a payee, or the name and the PayNow number.

    Version 03 has no element for PayNow.
    """
    creditor = f"<Cdtr><Nm>{name}</Nm></Cdtr>"
    if payee.paynow and version != VERSION_3:
        kind = paynow.kind(payee.paynow)
        proxy = f"<Prxy><Tp><Prtry>{kind}</Prtry></Tp><Id>{payee.paynow}</Id></Prxy>"
        return f"{creditor}<CdtrAcct>{proxy}</CdtrAcct>"
    account = payee.account
    account_id = f"<CdtrAcct><Id><Othr><Id>{account.digits}</Id></Othr></Id></CdtrAcct>"
    return f"<CdtrAgt>{_bank(account.bank_id, version)}</CdtrAgt>{creditor}{account_id}"


def _totals(payees: Sequence[GiroPayee]) -> list[str]:
    total_cents = sum(payee.amount_cents for payee in payees)
    return [f"<NbOfTxs>{len(payees)}</NbOfTxs>", f"<CtrlSum>{decimal_text(total_cents)}</CtrlSum>"]


def _bank(bank_id: int, version: str) -> str:
    tag = "BIC" if version == VERSION_3 else "BICFI"
    return f"<FinInstnId><{tag}>{BICS[bank_id]}</{tag}></FinInstnId>"


def _payer_name(batch: GiroBatch) -> str:
    return escape(name_field(batch.payer.account_name or "", MAX_NAME_LENGTH, REPLACED_CHARACTERS))


encode_03, encode_09 = partial(encode, version=VERSION_3), partial(encode, version=VERSION_9)
file_name_03, file_name_09 = partial(file_name, version=VERSION_3), partial(file_name, version=VERSION_9)
