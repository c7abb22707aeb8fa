"""Rows as CSV (RFC 4180), with the keys on top."""

from typing import IO

from gaji.tabular.cells import Cell, cells
from gaji.tabular.csv_lines import csv_lines


class CsvRows:
    """Writes them."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._file = file
        self._keys = keys
        file.write(csv_lines([keys]))

    async def write(self, rows: str) -> None:
        """Write some rows."""
        self._file.write(csv_lines([_text(cell) for cell in row] for row in cells(rows, self._keys)))

    async def end(self) -> None:
        """Nothing comes after the last row."""


def _text(cell: Cell) -> str:
    """A value as JSON writes it, but without quotes; nothing for null."""
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
