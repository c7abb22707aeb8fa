"""The package that a workbook is: looked at before anything of it is read, so that no file can fill the memory."""

import io
import re
from pyexpat import ParserCreate
from zipfile import ZipFile

from gaji.core.errors import INVALID, GajiError, MalformedRequest, invalid

MOST_PARTS = 500
MOST_SHEET_BYTES = 256 * 1024 * 1024
"""Of all sheets, unpacked; they are read a row at a time."""
MOST_OTHER_BYTES = 24 * 1024 * 1024
"""Of all other parts, unpacked; what is in them is kept while a workbook is read."""
SHEETS = "xl/worksheets/"
TEXTS = "sharedStrings.xml"
MOST_IN_ROW = 4 * 16_384
"""Elements: a cell has up to four, and a row as many cells as a spreadsheet has columns."""
MOST_OUTSIDE = 50_000
MOST_TEXTS = 4_000_000
PIECE_BYTES = 1024 * 1024
FORMULA = re.compile(rb"<(\w{1,40}:)?f[\s/>]")
OVERLAP_BYTES = 64
"""No less than what is sought can be long."""
UNREADABLE = "This is not a spreadsheet (XLSX) that can be read"
TOO_LARGE = "must not have more than {} MiB of {} when it is unpacked"


def check(content: bytes) -> None:
    """Refuse what is no workbook, or one that is too large in any way, or one whose parts declare entities."""
    try:
        with ZipFile(io.BytesIO(content)) as package:
            _check_sizes(package)
            for part in package.infolist():
                if part.filename.endswith((".xml", ".rels")):
                    _check_elements(package, part.filename)
    except GajiError:
        raise
    except Exception:  # a file can be broken in as many ways as there are layers in it
        raise MalformedRequest(UNREADABLE) from None


def has_formulas(content: bytes) -> bool:
    """Whether any cell of a workbook that was checked may have a formula."""
    with ZipFile(io.BytesIO(content)) as package:
        return any(_holds(package, name, FORMULA) for name in package.namelist() if name.startswith(SHEETS))


def _holds(package: ZipFile, name: str, sought: re.Pattern[bytes]) -> bool:
    with package.open(name) as part:
        end = b""
        while piece := part.read(PIECE_BYTES):
            if sought.search(end + piece):
                return True
            end = piece[-OVERLAP_BYTES:]
    return False


def _check_sizes(package: ZipFile) -> None:
    """Go by what the parts say of themselves: no more than that is ever unpacked of them."""
    parts = package.infolist()
    sheets = sum(part.file_size for part in parts if part.filename.startswith(SHEETS))
    others = sum(part.file_size for part in parts) - sheets
    if len(parts) > MOST_PARTS:
        raise invalid("workbook", INVALID, reason=f"must not have more than {MOST_PARTS} parts; it has {len(parts):,}")
    if sheets > MOST_SHEET_BYTES:
        raise invalid("workbook", INVALID, reason=TOO_LARGE.format(MOST_SHEET_BYTES // 1024 // 1024, "sheets"))
    if others > MOST_OTHER_BYTES:
        raise invalid(
            "workbook", INVALID, reason=TOO_LARGE.format(MOST_OTHER_BYTES // 1024 // 1024, "texts, styles and pictures")
        )


def _check_elements(package: ZipFile, name: str) -> None:
    """Refuse entities, which could stand for any amount of text, and more elements than would be kept at a time.

    Of a sheet a row is kept while it is read, and whatever is outside of rows; of other parts everything is.
    """
    in_row = outside = 0
    most_outside = MOST_TEXTS if name.endswith(TEXTS) else MOST_OUTSIDE

    def begun(tag: str, _: object) -> None:
        nonlocal in_row, outside
        if tag.rpartition(":")[2] == "row":
            in_row = 1
        elif in_row:
            in_row += 1
        else:
            outside += 1
        if in_row > MOST_IN_ROW or outside > most_outside:
            raise MalformedRequest(UNREADABLE)

    def ended(tag: str) -> None:
        nonlocal in_row
        if tag.rpartition(":")[2] == "row":
            in_row = 0

    def declared(*_: object) -> None:
        raise MalformedRequest(UNREADABLE)

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begun, ended
    parser.StartDoctypeDeclHandler = declared
    with package.open(name) as part:
        while piece := part.read(PIECE_BYTES):
            parser.Parse(piece)
