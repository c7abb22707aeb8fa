"""A reader of CIMB payment files (BizChannel), based on the table of fields only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.documents.layout_dates import parse_date

TEXT = r"[ -!#-+\--~]"
"""Printable characters except the comma and the quotation mark."""
AMOUNT = r"(0|[1-9]\d*)\.\d{2}"
HEADER = (r"\d{1,40}", f"{TEXT}{{1,100}}", "SGD", AMOUNT, f"{TEXT}{{0,80}}", r"[1-9]\d{0,4}", r"\d{8}")
DETAIL = (
    *(r"\d{1,40}", f"{TEXT}{{1,100}}", "SGD", AMOUNT, f"{TEXT}{{0,80}}"),
    *(r"\d{4}", r"\d{3}", "N", f"{TEXT}{{0,100}}"),
)
MAX_AMOUNT_LENGTH = 17


@dataclass(frozen=True)
class CimbFile:
    """The content of a file."""

    header: Sequence[str]
    payments: Sequence[Sequence[str]]
    total_cents: int


def read(data: bytes) -> CimbFile:
    """Read a file. Any field that the table does not allow fails an assertion."""
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record must end with CR LF"
    header, *payments = [line.decode("ascii").split(",") for line in lines]
    _check(header, HEADER)
    parse_date(header[6], "%Y%m%d")
    for payment in payments:
        _check(payment, DETAIL)
    total_cents = _cents(header[3])
    assert len(header[3]) <= MAX_AMOUNT_LENGTH
    assert total_cents == sum(_cents(payment[3]) for payment in payments)
    assert int(header[5]) == len(payments)
    return CimbFile(header, payments, total_cents)


def _check(fields: Sequence[str], layout: Sequence[str]) -> None:
    assert len(fields) == len(layout), fields
    for pattern, text in zip(layout, fields, strict=True):
        assert re.fullmatch(pattern, text), (pattern, text)


def _cents(amount: str) -> int:
    return int(amount.replace(".", ""))
