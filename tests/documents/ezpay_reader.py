"""A reader of CPF EZPay files, based on the byte layout only. It checks every byte of the 150-byte records.

Positions are counted from 1, as in the layout. The reader shares no code with the writer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.documents.layout_dates import parse_date

RECORD_BYTES = 150
FORBIDDEN = set('_+$<>:;?!=[]`^|\\"~')
WITH_DETAILS = ("01", "02", "03", "04", "05")
WITH_DONORS = ("02", "03", "04", "05", "10")
COMMUNITY_CHEST = "10"
PAYMENT_CODES = (*WITH_DETAILS, "07", COMMUNITY_CHEST, "11")
"""The levy and its penalty, 08 and 09, are not collected any more."""
PAYMENT_TYPES = ("PTE", "VCT", "AMS", "MSE")


@dataclass(frozen=True)
class Column:
    """A range of bytes in a record: text, a number, or a blank filler."""

    name: str
    first: int
    last: int
    kind: str


KEY = (
    Column("submission_mode", 1, 1, "text"),
    Column("record_type", 2, 2, "text"),
    Column("employer", 3, 12, "text"),
    Column("payment_type", 13, 15, "text"),
    Column("serial", 16, 17, "number"),
    Column("blank", 18, 18, "filler"),
    Column("advice_code", 19, 20, "number"),
)
HEADER = (
    *KEY,
    Column("created_on", 21, 28, "number"),
    Column("created_at", 29, 34, "number"),
    Column("file_id", 35, 47, "text"),
    Column("rest", 48, 150, "filler"),
)
SUMMARY = (
    *KEY,
    Column("month", 21, 26, "number"),
    Column("payment_code", 27, 28, "number"),
    Column("amount", 29, 40, "number"),
    Column("donors", 41, 47, "number"),
    Column("rest", 48, 150, "filler"),
)
DETAIL = (
    *KEY,
    Column("month", 21, 26, "number"),
    Column("payment_code", 27, 28, "number"),
    Column("account", 29, 37, "text"),
    Column("amount", 38, 49, "number"),
    Column("ordinary", 50, 59, "number"),
    Column("additional", 60, 69, "number"),
    Column("status", 70, 70, "text"),
    Column("name", 71, 136, "text"),
    Column("rest", 137, 150, "filler"),
)
TRAILER = (
    *KEY,
    Column("records", 21, 27, "number"),
    Column("total", 28, 42, "number"),
    Column("rest", 43, 150, "filler"),
)
LAYOUTS = {" ": HEADER, "0": SUMMARY, "1": DETAIL, "9": TRAILER}

Record = dict[str, str]


@dataclass(frozen=True)
class EzPay:
    """The content of a file."""

    header: Record
    summaries: Sequence[Record]
    details: Sequence[Record]
    trailer: Record

    def amount(self, code: str) -> int:
        """Return the cents paid under a code."""
        return sum(int(record["amount"]) for record in self.summaries if record["payment_code"] == code)

    def details_of(self, code: str) -> dict[str, Record]:
        """Return the details of a code, by account."""
        records = [record for record in self.details if record["payment_code"] == code]
        assert len({record["account"] for record in records}) == len(records)
        return {record["account"]: record for record in records}


def check_layouts() -> None:
    """Check that the columns of every layout cover all bytes exactly once."""
    for layout in LAYOUTS.values():
        assert layout[0].first == 1
        assert layout[-1].last == RECORD_BYTES
        assert all(earlier.last + 1 == later.first for earlier, later in pairwise(layout))


def read(data: bytes) -> EzPay:
    """Read a file. Any byte that the layout does not allow fails an assertion."""
    check_layouts()
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record must end with CR LF"
    records = [_record(line) for line in lines]
    types = "".join(record["record_type"] or " " for record in records)
    assert types == " " + "0" * types.count("0") + "1" * types.count("1") + "9"
    file = EzPay(
        records[0],
        [record for record in records if record["record_type"] == "0"],
        [record for record in records if record["record_type"] == "1"],
        records[-1],
    )
    _check_file(file, records)
    return file


def _record(line: bytes) -> Record:
    assert len(line) == RECORD_BYTES
    assert all(0x20 <= byte <= 0x7E for byte in line)
    text = line.decode("ascii")
    assert not FORBIDDEN & set(text)
    return {column.name: _value(column, text[column.first - 1 : column.last]) for column in LAYOUTS[text[1]]}


def _value(column: Column, text: str) -> str:
    if column.kind == "filler":
        assert not text.strip(), column
        return ""
    if column.kind == "number":
        assert text.isdecimal(), (column, text)
        return text
    assert text == text.strip().ljust(len(text)), (column, text)
    return text.strip()


def _check_file(file: EzPay, records: Sequence[Record]) -> None:
    for key in KEY:
        if key.name != "record_type":
            assert len({record[key.name] for record in records}) == 1, key
    assert records[0]["submission_mode"] == "F"
    assert "01" <= records[0]["advice_code"] <= "99"
    assert records[0]["payment_type"] in PAYMENT_TYPES
    assert file.header["file_id"] == "FTP.DTL"
    parse_date(file.header["created_on"] + file.header["created_at"], "%Y%m%d%H%M%S")
    parse_date(file.summaries[0]["month"], "%Y%m")
    assert len({record["month"] for record in (*file.summaries, *file.details)}) == 1
    codes = [record["payment_code"] for record in file.summaries]
    assert records[0]["payment_type"] == "PTE" or codes == ["01"], "voluntary contributions have no other codes"
    assert codes == sorted(set(codes))
    for record in file.summaries:
        _check_summary(record, [detail for detail in file.details if detail["payment_code"] == record["payment_code"]])
    for record in file.details:
        _check_detail(record, codes)
    assert int(file.trailer["records"]) == len(records)
    assert int(file.trailer["total"]) == sum(int(record["amount"]) for record in file.summaries)


def _check_summary(record: Record, details: Sequence[Record]) -> None:
    assert int(record["amount"]) > 0
    assert record["payment_code"] in PAYMENT_CODES
    if record["payment_code"] == COMMUNITY_CHEST:
        assert int(record["donors"]) > 0
    else:
        assert int(record["donors"]) == (len(details) if record["payment_code"] in WITH_DONORS else 0)
    if record["payment_code"] in WITH_DETAILS:
        assert int(record["amount"]) == sum(int(detail["amount"]) for detail in details)
    else:
        assert not details


def _check_detail(record: Record, codes: Sequence[str]) -> None:
    assert record["payment_code"] in WITH_DETAILS
    assert record["payment_code"] in codes
    assert re.fullmatch(r"[STFGM]\d{7}[A-Z]", record["account"])
    assert int(record["amount"]) > 0
    assert record["name"]
    if record["payment_code"] == "01":
        assert record["account"][0] in "ST"
        assert record["status"] in ("E", "L", "N", "O")
    else:
        assert record["status"] == ""
        assert int(record["ordinary"]) == int(record["additional"]) == 0
