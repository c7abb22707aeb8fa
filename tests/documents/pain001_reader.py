"""A reader of ISO 20022 messages (pain.001), based on the structure of the message only.

It checks the order and number of the elements, and the type of each value, as the schema of the message does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from xml.etree import ElementTree

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001."
NAME = r"[a-zA-Z0-9/\-?:().,'+ ]{1,140}"
ID_35 = r"[a-zA-Z0-9/\-?:().,'+ ]{1,35}"
BIC = r"[A-Z]{4}SG[0-9A-Z]{2}[0-9A-Z]{3}"
AMOUNT = r"\d{1,15}\.\d{2}"
DATE = r"\d{4}-\d{2}-\d{2}"

Structure = Mapping[str, Any]
"""The elements in order. A value is a pattern of text, or the structure of child elements. `+`: one or more."""


PAYNOW_TRANSFER: Structure = {
    "PmtId": {"EndToEndId": ID_35},
    "Amt": {"InstdAmt": AMOUNT},
    "Cdtr": {"Nm": NAME},
    "CdtrAcct": {"Prxy": {"Tp": {"Prtry": "MSISDN|NRIC|UEN"}, "Id": r"\+65\d{8}|[A-Z0-9]{9,13}"}},
    "Purp": {"Cd": "SALA"},
    "RmtInf": {"Ustrd": r".{1,140}"},
}


def _group(version: str) -> Structure:
    bank = {"FinInstnId": {"BIC" if version == "03" else "BICFI": BIC}}
    account = {"Othr": {"Id": r"\d{1,34}"}}
    totals = {"NbOfTxs": r"[1-9]\d{0,14}", "CtrlSum": AMOUNT}
    transfer = {
        "PmtId": {"EndToEndId": ID_35},
        "Amt": {"InstdAmt": AMOUNT},
        "CdtrAgt": bank,
        "Cdtr": {"Nm": NAME},
        "CdtrAcct": {"Id": account},
        "Purp": {"Cd": "SALA"},
        "RmtInf": {"Ustrd": r".{1,140}"},
    }
    payment = {
        "PmtInfId": ID_35,
        "PmtMtd": "TRF",
        "BtchBookg": "true|false",
        **totals,
        "PmtTpInf": {"CtgyPurp": {"Cd": "SALA"}},
        "ReqdExctnDt": DATE if version == "03" else {"Dt": DATE},
        "Dbtr": {"Nm": NAME},
        "DbtrAcct": {"Id": account, "Ccy": "SGD"},
        "DbtrAgt": bank,
        "CdtTrfTxInf+": transfer,
    }
    header = {"MsgId": ID_35, "CreDtTm": rf"{DATE}T\d{{2}}:\d{{2}}:\d{{2}}", **totals, "InitgPty": {"Nm": NAME}}
    return {"CstmrCdtTrfInitn": {"GrpHdr": header, "PmtInf+": payment}}


@dataclass(frozen=True)
class Transfer:
    """One credit transfer, to an account or to a PayNow number."""

    reference: str
    cents: int
    bic: str
    name: str
    account: str
    paynow: tuple[str, str] | None
    """The kind and the number."""
    execution_date: date


@dataclass(frozen=True)
class Message:
    """The content of a message."""

    version: str
    payer: str
    payer_account: str
    payer_bic: str
    transfers: Sequence[Transfer]
    total_cents: int


def read(data: bytes) -> Message:
    """Read a message. Any element that the structure does not allow fails an assertion."""
    root = ElementTree.fromstring(data)  # noqa: S314
    match = re.fullmatch(rf"\{{{re.escape(NAMESPACE)}(03|09)\}}Document", root.tag)
    assert match, root.tag
    version = match[1]
    for element in root.iter():
        assert element.tag.startswith(f"{{{NAMESPACE}{version}}}"), element.tag
        element.tag = element.tag.partition("}")[2]
    _check(root, _group(version), "Document")
    transfers = [transfer for payment in root.iter("PmtInf") for transfer in _transfers(payment)]
    for part in (*root.iter("GrpHdr"), *root.iter("PmtInf")):
        own = transfers if part.tag == "GrpHdr" else list(_transfers(part))
        assert int(_text(part, "NbOfTxs")) == len(own)
        assert _cents(_text(part, "CtrlSum")) == sum(transfer.cents for transfer in own)
    assert len({transfer.reference for transfer in transfers}) == len(transfers)
    payment = next(root.iter("PmtInf"))
    return Message(
        version,
        _text(payment, "Dbtr/Nm"),
        _text(payment, "DbtrAcct/Id/Othr/Id"),
        _text(payment, "DbtrAgt/FinInstnId/*"),
        transfers,
        _cents(_text(root, "CstmrCdtTrfInitn/GrpHdr/CtrlSum")),
    )


def _check(element: ElementTree.Element, structure: Structure, path: str) -> None:
    remaining = list(element)
    for name, expected in structure.items():
        tag = name.rstrip("+")
        children: list[ElementTree.Element] = []
        while remaining and remaining[0].tag == tag and (not children or name.endswith("+")):
            children.append(remaining.pop(0))
        assert children, f"{path} has no {tag}"
        for child in children:
            is_paynow = tag == "CdtTrfTxInf" and child.find("CdtrAcct/Prxy") is not None
            _check_child(child, PAYNOW_TRANSFER if is_paynow else expected, f"{path}/{tag}")
    assert not remaining, f"{path} has {remaining[0].tag} in excess"


def _check_child(child: ElementTree.Element, expected: str | Structure, path: str) -> None:
    assert child.attrib == ({"Ccy": "SGD"} if child.tag == "InstdAmt" else {}), path
    if isinstance(expected, str):
        assert not list(child), path
        assert re.fullmatch(expected, child.text or ""), (path, child.text)
    else:
        assert not (child.text or "").strip(), path
        _check(child, expected, path)


def _transfers(payment: ElementTree.Element) -> list[Transfer]:
    day = payment.find("ReqdExctnDt/Dt")
    execution_date = date.fromisoformat(_text(payment, "ReqdExctnDt") if day is None else str(day.text))
    return [
        Transfer(
            _text(transfer, "PmtId/EndToEndId"),
            _cents(_text(transfer, "Amt/InstdAmt")),
            transfer.findtext("CdtrAgt/FinInstnId/*") or "",
            _text(transfer, "Cdtr/Nm"),
            transfer.findtext("CdtrAcct/Id/Othr/Id") or "",
            _paynow(transfer),
            execution_date,
        )
        for transfer in payment.iter("CdtTrfTxInf")
    ]


def _paynow(transfer: ElementTree.Element) -> tuple[str, str] | None:
    proxy = transfer.find("CdtrAcct/Prxy")
    return None if proxy is None else (_text(proxy, "Tp/Prtry"), _text(proxy, "Id"))


def _text(element: ElementTree.Element, path: str) -> str:
    text = element.findtext(path)
    assert text is not None, path
    return text


def _cents(amount: str) -> int:
    return int(amount.replace(".", ""))
