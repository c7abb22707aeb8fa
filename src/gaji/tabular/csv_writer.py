"""Report rows as CSV (RFC 4180) with a header line."""

from typing import IO

from gaji.core.threads import REPORTS
from gaji.tabular.cells import Cell, iterate_cells
from gaji.tabular.csv_lines import csv_lines


class CsvRowWriter:
    """Writes rows as CSV."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._file = file
        self._keys = keys
        file.write(csv_lines([keys]))

    async def write(self, rows: str) -> None:
        """Write rows."""
        await REPORTS.run(self._write, rows)

    def _write(self, rows: str) -> None:
        self._file.write(csv_lines([_to_text(cell) for cell in row] for row in iterate_cells(rows, self._keys)))

    async def finish(self) -> None:
        """Do nothing: CSV has no trailer."""


def _to_text(cell: Cell) -> str:
    """Return a value as in JSON but without quotes. Null becomes an empty text."""
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
