"""A reader of OCBC payment files (GIROFASTWITHINV), based on the byte layout only. Positions are counted from 1."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.documents.layout_dates import parse_date

RECORD_BYTES = 1000
BIC = r"[A-Z]{4}SG[0-9A-Z]{2}XXX"
HEADER = {
    (1, 2): "30",
    (3, 5): " {3}",
    (6, 13): r"\d{8}",
    (14, 24): "OCBCSGSGXXX",
    (25, 58): r"\d+ *",
    (59, 61): " {3}",
    (62, 81): " {20}",
    (82, 201): " {120}",
    (202, 205): " {4}",
    (206, 209): "GIRO|FAST",
    (210, 225): r"[ -~]{16}",
    (226, 233): r"\d{8}",
    (234, 237): " {4}",
    (238, 238): " ",
    (239, 1000): " {762}",
}
DETAIL = {
    (1, 11): f"{BIC}| {{11}}",
    (12, 45): r"\d+ *| {34}",
    (46, 185): r"[!-~][ -~]*",
    (186, 188): " {3}",
    (189, 205): r"\d{17}",
    (206, 240): r"[ -~]{35}",
    (241, 244): "SALA",
    (245, 279): r"[!-~][ -~]*",
    (280, 419): " {140}",
    (420, 559): " {140}",
    (560, 560): " ",
    (561, 815): " {255}",
    (816, 827): "MSISDN {6}|NRIC {8}|UEN {9}| {12}",
    (828, 967): r"(\+65\d{8}|[A-Z0-9]+)? *",
    (968, 1000): " {33}",
}

Columns = dict[tuple[int, int], str]


@dataclass(frozen=True)
class OcbcFile:
    """The content of a file: the columns of its header and of each payment, without padding."""

    header: Columns
    payments: Sequence[Columns]

    @property
    def total_cents(self) -> int:
        """The sum of all payments."""
        return sum(int(payment[189, 205]) for payment in self.payments)


def read(data: bytes) -> OcbcFile:
    """Read a file. Any byte that the layout does not allow fails an assertion."""
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record must end with CR LF"
    header, *payments = [_columns(line, DETAIL if number else HEADER) for number, line in enumerate(lines)]
    # The two dates are written differently.
    parse_date(header[6, 13], "%Y%m%d")
    parse_date(header[226, 233], "%d%m%Y")
    assert payments, "a file without payments is refused"
    for payment in payments:
        is_paynow = [bool(payment[column]) for column in ((816, 827), (828, 967))]
        is_account = [bool(payment[column]) for column in ((1, 11), (12, 45))]
        assert sorted([is_paynow, is_account]) == [[False, False], [True, True]], "either an account or PayNow"
    assert all(int(payment[189, 205]) > 0 for payment in payments), "a payment of 0.00 fails the upload"
    return OcbcFile(header, payments)


def _columns(line: bytes, layout: Columns) -> Columns:
    positions = sorted(layout)
    assert (positions[0][0], positions[-1][1]) == (1, RECORD_BYTES)
    assert all(earlier[1] + 1 == later[0] for earlier, later in pairwise(positions))
    assert len(line) == RECORD_BYTES
    text = line.decode("ascii")
    for first, last in positions:
        assert re.fullmatch(layout[first, last], text[first - 1 : last]), ((first, last), text[first - 1 : last])
    return {(first, last): text[first - 1 : last].rstrip() for first, last in positions}
