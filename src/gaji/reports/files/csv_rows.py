"""Rows as CSV (RFC 4180), with the keys on top."""

import csv
import io
from typing import IO

from gaji.reports.files.cells import Cell, cells


class CsvRows:
    """Writes them."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._file = file
        self._keys = keys
        self._write([keys])

    async def write(self, rows: str) -> None:
        """Write some rows."""
        self._write([[_text(cell) for cell in row] for row in cells(rows, self._keys)])

    async def end(self) -> None:
        """Nothing comes after the last row."""

    def _write(self, lines: list[list[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(lines)
        self._file.write(text.getvalue().encode())


def _text(cell: Cell) -> str:
    """A value as JSON writes it, but without quotes; nothing for null."""
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
