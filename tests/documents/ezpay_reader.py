"""A reader of CPF EZPay files, made from the byte layout alone: it accounts for every one of the 150 bytes of a record.

Positions count from 1, as the layout does. Nothing here knows how files are written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

RECORD_BYTES = 150
FORBIDDEN = set('_+$<>:;?!=[]`^|\\"~')
WITH_DETAILS = ("01", "02", "03", "04", "05")
WITH_DONORS = ("02", "03", "04", "05", "10")


@dataclass(frozen=True)
class Column:
    """Some bytes of a record: text, a number, or a filler that is blank."""

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
    """A file that was read."""

    header: Record
    summaries: Sequence[Record]
    details: Sequence[Record]
    trailer: Record

    def amount(self, code: str) -> int:
        """What is paid under a code, in cents."""
        return sum(int(one["amount"]) for one in self.summaries if one["payment_code"] == code)

    def of(self, code: str) -> dict[str, Record]:
        """The details of a code by account."""
        found = [one for one in self.details if one["payment_code"] == code]
        assert len({one["account"] for one in found}) == len(found)
        return {one["account"]: one for one in found}


def check_layouts() -> None:
    """That the columns of every layout account for all bytes, each once."""
    for layout in LAYOUTS.values():
        assert layout[0].first == 1
        assert layout[-1].last == RECORD_BYTES
        assert all(earlier.last + 1 == later.first for earlier, later in pairwise(layout))


def read(data: bytes) -> EzPay:
    """Read a file, and fail on any byte that the layout does not allow."""
    check_layouts()
    *lines, rest = data.split(b"\r\n")
    assert rest == b"", "the last record ends too"
    records = [_record(line) for line in lines]
    types = "".join(one["record_type"] or " " for one in records)
    assert types == " " + "0" * types.count("0") + "1" * types.count("1") + "9"
    found = EzPay(
        records[0],
        [one for one in records if one["record_type"] == "0"],
        [one for one in records if one["record_type"] == "1"],
        records[-1],
    )
    _check_whole(found, records)
    return found


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


def _check_whole(found: EzPay, records: Sequence[Record]) -> None:
    for key in KEY:
        if key.name != "record_type":
            assert len({one[key.name] for one in records}) == 1, key
    assert records[0]["submission_mode"] == "F"
    assert "01" <= records[0]["advice_code"] <= "99"
    assert found.header["file_id"] == "FTP.DTL"
    assert len({one["month"] for one in (*found.summaries, *found.details)}) == 1
    codes = [one["payment_code"] for one in found.summaries]
    assert codes == sorted(set(codes))
    for one in found.summaries:
        _check_summary(one, [detail for detail in found.details if detail["payment_code"] == one["payment_code"]])
    for one in found.details:
        _check_detail(one, codes)
    assert int(found.trailer["records"]) == len(records)
    assert int(found.trailer["total"]) == sum(int(one["amount"]) for one in found.summaries)


def _check_summary(one: Record, details: Sequence[Record]) -> None:
    assert int(one["amount"]) > 0
    assert int(one["donors"]) == (len(details) if one["payment_code"] in WITH_DONORS else 0)
    if one["payment_code"] in WITH_DETAILS:
        assert int(one["amount"]) == sum(int(detail["amount"]) for detail in details)
    else:
        assert not details


def _check_detail(one: Record, codes: Sequence[str]) -> None:
    assert one["payment_code"] in WITH_DETAILS
    assert one["payment_code"] in codes
    assert len(one["account"]) == 9
    assert int(one["amount"]) > 0
    assert one["name"]
    if one["payment_code"] == "01":
        assert one["account"][0] in "ST"
        assert one["status"] in ("E", "L", "N", "O")
    else:
        assert one["status"] == ""
        assert int(one["ordinary"]) == int(one["additional"]) == 0
