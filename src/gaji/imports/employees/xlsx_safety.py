"""Safety checks on the XLSX package before it is read, so that no file can exhaust the memory."""

import io
import re
from pyexpat import ParserCreate
from zipfile import ZipFile

from gaji.core.errors import ErrorCode, GajiError, MalformedRequest, invalid

MIB = 1024 * 1024
MAX_PARTS = 500
MAX_SHEET_BYTES = 256 * MIB
"""Limit for all sheets, uncompressed. They are read row by row."""
MAX_OTHER_BYTES = 24 * MIB
"""Limit for all other parts, uncompressed. They are kept in memory while the workbook is read."""
SHEETS = "xl/worksheets/"
SHARED_STRINGS = "sharedStrings.xml"
MAX_ROW_ELEMENTS = 4 * 16_384
"""XML elements of a row: up to four for each cell, and as many cells as a spreadsheet has columns."""
MAX_SHEET_ROWS = 1_048_576
"""The limit of the file format."""
MAX_CELLS = 4_000_000
"""Cells of all sheets, empty ones included. 20,000 employees with 200 columns have as many."""
MAX_OTHER_ELEMENTS = 50_000
MAX_SHARED_STRING_ELEMENTS = 4_000_000
READ_BYTES = MIB
FORMULA = re.compile(rb"<(\w{1,40}:)?f[\s/>]")
OVERLAP_BYTES = 64
"""At least the length of the longest match of FORMULA."""
UNREADABLE = "The file is not a readable spreadsheet (XLSX)"

WORKBOOK = "workbook"
TOO_MANY_PARTS = ErrorCode("workbook_too_many_parts", "must not have more than {maximum} parts; it has {count}")
UNPACKED_TOO_LARGE = ErrorCode(
    "workbook_too_large", "must not have more than {max_mib} MiB of {content} when it is unpacked"
)
TOO_MANY_CELLS = ErrorCode("workbook_too_many_cells", "must not have more than {maximum} cells")


def require_safe(content: bytes) -> None:
    """Raise an error unless the content is a workbook within all limits and without declared entities."""
    try:
        with ZipFile(io.BytesIO(content)) as package:
            _require_sizes(package)
            cells = 0
            for part in package.infolist():
                if part.filename.endswith((".xml", ".rels")):
                    cells += _require_elements(package, part.filename, MAX_CELLS - cells)
    except (GajiError, MemoryError):
        raise
    except Exception:  # A broken file can fail in any of the layers that read it.
        raise MalformedRequest(UNREADABLE) from None


def has_formulas(content: bytes) -> bool:
    """Return whether a workbook that passed the checks may contain a formula."""
    with ZipFile(io.BytesIO(content)) as package:
        return any(_contains(package, name, FORMULA) for name in package.namelist() if name.startswith(SHEETS))


def _contains(package: ZipFile, name: str, pattern: re.Pattern[bytes]) -> bool:
    with package.open(name) as part:
        tail = b""
        while block := part.read(READ_BYTES):
            if pattern.search(tail + block):
                return True
            tail = block[-OVERLAP_BYTES:]
    return False


def _require_sizes(package: ZipFile) -> None:
    """Check the declared sizes of the parts. Never more than the declared size is unpacked."""
    parts = package.infolist()
    sheet_bytes = sum(part.file_size for part in parts if part.filename.startswith(SHEETS))
    other_bytes = sum(part.file_size for part in parts) - sheet_bytes
    if len(parts) > MAX_PARTS:
        raise invalid(WORKBOOK, TOO_MANY_PARTS, maximum=MAX_PARTS, count=f"{len(parts):,}")
    if sheet_bytes > MAX_SHEET_BYTES:
        raise invalid(WORKBOOK, UNPACKED_TOO_LARGE, max_mib=MAX_SHEET_BYTES // MIB, content="sheets")
    if other_bytes > MAX_OTHER_BYTES:
        content = "texts, styles and pictures"
        raise invalid(WORKBOOK, UNPACKED_TOO_LARGE, max_mib=MAX_OTHER_BYTES // MIB, content=content)


def _require_elements(package: ZipFile, name: str, max_cells: int) -> int:
    """Reject entities, which can expand to any amount of text, and too many elements. Return the number of cells.

    While a sheet is read, one row and everything outside of rows is kept in memory. Other parts are kept completely.
    """
    row_elements = other_elements = rows = cells = 0
    max_other_elements = MAX_SHARED_STRING_ELEMENTS if name.endswith(SHARED_STRINGS) else MAX_OTHER_ELEMENTS

    def start_element(tag: str, _: object) -> None:
        nonlocal row_elements, other_elements, rows, cells
        local_name = tag.rpartition(":")[2]
        if local_name == "row":
            row_elements = 1
            rows += 1
        elif row_elements:
            row_elements += 1
            cells += local_name == "c"
        else:
            other_elements += 1
        if row_elements > MAX_ROW_ELEMENTS or other_elements > max_other_elements or rows > MAX_SHEET_ROWS:
            raise MalformedRequest(UNREADABLE)
        if cells > max_cells:
            raise invalid(WORKBOOK, TOO_MANY_CELLS, maximum=f"{MAX_CELLS:,}")

    def end_element(tag: str) -> None:
        nonlocal row_elements
        if tag.rpartition(":")[2] == "row":
            row_elements = 0

    def start_doctype(*_: object) -> None:
        raise MalformedRequest(UNREADABLE)

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start_element, end_element
    parser.StartDoctypeDeclHandler = start_doctype
    with package.open(name) as part:
        while block := part.read(READ_BYTES):
            parser.Parse(block)
    return cells
