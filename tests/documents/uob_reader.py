"""A reader of UOB payment files (UFF), based on the table of fields only. Field 1 is the record type."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.documents.layout_dates import parse_date

TEXT = r"[ -}]"
"""Printable characters except the tilde."""
HD1 = {1: "HD1", 2: r"PAIDE\d{4}\d{3}", 3: r"\d{8}", 4: r"\d{6}", 5: "UOVBSGSGXXX"}
HD2 = {
    1: "HD2",
    2: "IBG|IBGPN",
    3: r"\d{8}",
    4: f"{TEXT}+",
    7: f"{TEXT}{{1,20}}",
    8: "SALA",
    10: "UOVBSGSGXXX",
    11: "SG",
    12: r"\d+",
    13: "SGD",
    14: f"{TEXT}{{1,140}}",
}
DTL = {
    1: "DTL",
    2: f"{TEXT}{{1,35}}",
    3: r"(0|[1-9]\d*)\.\d{2}",
    4: "SGD",
    10: "SALA",
    12: "Y|N",
    21: f"{TEXT}{{1,140}}",
    30: f"{TEXT}{{1,70}}",
    31: f"{TEXT}{{0,70}}",
    32: f"{TEXT}{{0,70}}",
    33: f"{TEXT}{{0,70}}",
}
PAYEES = {
    "IBG": {19: r"[A-Z]{4}SG[0-9A-Z]{2}[0-9A-Z]{3}", 20: r"\d{1,34}"},
    "IBGPN": {19: "MSISDN|NRIC|UEN", 20: r"\+65[89]\d{7}|[A-Z0-9]{9,13}"},
}
"""Who is paid, by payment method: a bank and an account, or the kind of a PayNow number and the number."""
FT2 = {1: "FT2", 2: r"\d{10}", 3: r"\d{20}"}
FT1 = {1: "FT1", 2: r"\d{10}"}


@dataclass(frozen=True)
class Detail:
    """One payment: its fields by number."""

    fields: dict[int, str]

    @property
    def cents(self) -> int:
        """The amount in cents."""
        return int(self.fields[3].replace(".", ""))

    @property
    def name(self) -> str:
        """The name, joined from its four parts."""
        return "".join(self.fields[number] for number in (30, 31, 32, 33))


@dataclass(frozen=True)
class UobFile:
    """The content of a file."""

    header: dict[int, str]
    batch: dict[int, str]
    details: Sequence[Detail]
    total_cents: int


def read(data: bytes) -> UobFile:
    """Read a file. Any field that the table does not allow fails an assertion."""
    *lines, rest = data.split(b"\n")
    assert rest == b"", "the last record must end with LF"
    assert all(0x20 <= byte <= 0x7E for line in lines for byte in line)
    first, batch, *details, second_last, last = [line.decode("ascii").split("~") for line in lines]
    header, payments = _fields(first, HD1), _fields(batch, HD2)
    created = parse_date(header[3] + header[4], "%Y%m%d%H%M%S")
    assert header[2].startswith(f"PAIDE{created:%d%m}")
    parse_date(payments[3], "%Y%m%d")
    parsed = [Detail(_fields(fields, DTL | PAYEES[payments[2]])) for fields in details]
    footer, end = _fields(second_last, FT2), _fields(last, FT1)
    assert int(footer[2]) == int(end[2]) == len(parsed)
    assert int(footer[3]) == sum(detail.cents for detail in parsed)
    return UobFile(header, payments, parsed, int(footer[3]))


def _fields(fields: list[str], layout: Mapping[int, str]) -> dict[int, str]:
    assert len(fields) == max(layout)
    for number, text in enumerate(fields, start=1):
        assert re.fullmatch(layout.get(number, ""), text), (number, text)
    return dict(enumerate(fields, start=1))
