"""Values of cells as the spreadsheet library reads them, and as the worker process passes them on."""

import re
from datetime import date, datetime
from decimal import Decimal

Cell = str | bool | int | Decimal | date | None
PackedCell = str | bool | int | None
"""A cell in a message. A text has a mark of its type in front."""

MAX_DIGITS = 15
"""The precision of numbers in a spreadsheet. A number with more digits is written as text."""
ESCAPED_CHARACTER = re.compile(r"_x([0-9A-Fa-f]{4})_")
TEXT, DECIMAL, DATE, LONG_INTEGER = "t", "n", "d", "i"
MAX_PACKED_INTEGER = 2**63


def is_blank(cell: Cell) -> bool:
    """Return whether a cell is empty or contains only spaces."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def parse_file_value(value: object) -> Cell:
    """Return the cell of a value that the spreadsheet library read."""
    if isinstance(value, float):
        # Digits beyond the precision of a spreadsheet are artefacts of binary arithmetic.
        number = Decimal(f"{value:.{MAX_DIGITS}g}")
        return number if number.is_finite() else str(value)
    if isinstance(value, datetime):
        return value.date() if value.time() == datetime.min.time() else value.isoformat(" ")
    if isinstance(value, str):
        return ESCAPED_CHARACTER.sub(lambda match: chr(int(match[1], 16)), value) if "_x" in value else value
    if value is None or isinstance(value, bool | int | date | Decimal):
        return value
    return str(value)


def pack_cell(cell: Cell) -> PackedCell:
    """Return a cell as it is passed in a message."""
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int):
        return cell if abs(cell) < MAX_PACKED_INTEGER else f"{LONG_INTEGER}{cell:x}"
    if isinstance(cell, str):
        # A lone surrogate cannot be encoded, and no attribute accepts it.
        return TEXT + cell.encode(errors="replace").decode()
    return f"{DATE}{cell.isoformat()}" if isinstance(cell, date) else f"{DECIMAL}{cell}"


def unpack_cell(cell: PackedCell) -> Cell:
    """Return the cell of a message."""
    if not isinstance(cell, str):
        return cell
    mark, text = cell[0], cell[1:]
    if mark == TEXT:
        return text
    if mark == DECIMAL:
        return Decimal(text)
    return date.fromisoformat(text) if mark == DATE else int(text, 16)
