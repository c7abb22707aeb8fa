"""A reader of DBS payment files (UFF), based on the table of fields only. Fields are counted from 1: D01, D02, …"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.documents.layout_dates import parse_date

HEADER_FIELDS = {1: "HEADER", 2: r"\d{8}", 3: r"[ -!#-+\--~]{1,12}", 4: r"[ -!#-+\--~]{1,35}"}
PAYMENT_FIELDS = {
    1: "PAYMENT",
    2: "BPY",
    3: r"\d+",
    4: "SGD",
    5: r"[ -+\--~]{1,16}",
    6: "SGD",
    7: r"\d{5}",
    8: r"\d{8}",
    9: "OUR",
    11: r"[ -!#-+\--~]{1,35}",
    16: r"\d+",
    18: r"\d{4}",
    19: r"\d{3}",
    28: r"(0|[1-9]\d{0,8})\.\d{2}",
    33: "22",
    34: r"[ -+\--~]+",
}
"""The pattern of each field. All other fields are empty, and empty fields at the end are left out."""


@dataclass(frozen=True)
class Payment:
    """One payment: its fields by number."""

    fields: dict[int, str]

    @property
    def cents(self) -> int:
        """The amount in cents."""
        return int(self.fields[28].replace(".", ""))


@dataclass(frozen=True)
class DbsFile:
    """The content of a file."""

    header: Sequence[str]
    payments: Sequence[Payment]
    total_cents: int


def read(data: bytes) -> DbsFile:
    """Read a file. Any field that the table does not allow fails an assertion."""
    header, *payments, trailer = _lines(data)
    assert len(header) == len(HEADER_FIELDS)
    for number, text in enumerate(header, start=1):
        assert re.fullmatch(HEADER_FIELDS[number], text), (number, text)
    _check_date(header[1])
    parsed = [_payment(fields) for fields in payments]
    record_type, count, total = trailer
    assert record_type == "TRAILER"
    assert re.fullmatch(r"\d{8}", count)
    assert int(count) == len(parsed)
    assert re.fullmatch(r"(0|[1-9]\d{0,17})\.\d{2}", total)
    total_cents = int(total.replace(".", ""))
    assert total_cents == sum(payment.cents for payment in parsed)
    return DbsFile(header, parsed, total_cents)


def _lines(data: bytes) -> list[list[str]]:
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record must end with CR LF"
    assert all(0x20 <= byte <= 0x7E for line in lines for byte in line)
    assert b'"' not in data, "no field may be quoted"
    return [line.decode("ascii").split(",") for line in lines]


def _payment(fields: list[str]) -> Payment:
    assert len(fields) == max(PAYMENT_FIELDS)
    for number, text in enumerate(fields, start=1):
        assert re.fullmatch(PAYMENT_FIELDS.get(number, ""), text), (number, text)
    _check_date(fields[7])
    return Payment(dict(enumerate(fields, start=1)))


def _check_date(text: str) -> None:
    """Check that a date is written with the day first."""
    parse_date(text, "%d%m%Y")
