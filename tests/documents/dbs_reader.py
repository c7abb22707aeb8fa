"""A reader of DBS payment files (UFF), made from the table of fields alone. Fields count from 1: D01, D02 and so on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
    33: "20",
    34: r"[ -+\--~]+",
}
"""What each field looks like; every other one is empty, and what is empty at the end is left out."""


@dataclass(frozen=True)
class Payment:
    """One payment, by the numbers of its fields."""

    fields: dict[int, str]

    @property
    def cents(self) -> int:
        """Its amount."""
        return int(self.fields[28].replace(".", ""))


@dataclass(frozen=True)
class Dbs:
    """A file that was read."""

    payments: Sequence[Payment]
    total_cents: int


def read(data: bytes) -> Dbs:
    """Read a file, and fail on any field that the table does not allow."""
    header, *payments, trailer = _lines(data)
    assert header == ["HEADER"], "of its other fields nothing is settled"
    found = [_payment(fields) for fields in payments]
    record_type, count, total = trailer
    assert record_type == "TRAILER"
    assert re.fullmatch(r"\d{8}", count)
    assert int(count) == len(found)
    assert re.fullmatch(r"(0|[1-9]\d*)\.\d{2}", total)
    total_cents = int(total.replace(".", ""))
    assert total_cents == sum(one.cents for one in found)
    return Dbs(found, total_cents)


def _lines(data: bytes) -> list[list[str]]:
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record ends too"
    assert all(0x20 <= byte <= 0x7E for line in lines for byte in line)
    assert b'"' not in data, "nothing is quoted"
    return [line.decode("ascii").split(",") for line in lines]


def _payment(fields: list[str]) -> Payment:
    assert len(fields) == max(PAYMENT_FIELDS)
    for number, text in enumerate(fields, start=1):
        assert re.fullmatch(PAYMENT_FIELDS.get(number, ""), text), (number, text)
    return Payment(dict(enumerate(fields, start=1)))
