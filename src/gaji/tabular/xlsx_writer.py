"""Report rows as a spreadsheet (XLSX) with a header row. Amounts are numbers, other values are text.

The library keeps only one row in memory. It is slow, so it runs in a worker thread.
"""

from decimal import Decimal
from typing import IO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from gaji.core.threads import REPORTS
from gaji.tabular.cells import Cell, iterate_cells

MAX_SHEET_ROWS = 1_048_576
"""The limit of the file format. Further rows go to further sheets."""
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


class XlsxRowWriter:
    """Writes rows as a spreadsheet."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._bold = self._workbook.add_format({"bold": True})
        self._amount = self._workbook.add_format({"num_format": "#,##0.00"})
        self._keys = keys
        self._begin_sheet()

    async def write(self, rows: str) -> None:
        """Write rows."""
        await REPORTS.run(self._write, rows)

    async def finish(self) -> None:
        """Assemble the file."""
        await REPORTS.run(self._workbook.close)

    def _begin_sheet(self) -> None:
        self._sheet: Worksheet = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        for column, key in enumerate(self._keys):
            self._sheet.write_string(0, column, key, self._bold)
        self._next_row = 1

    def _write(self, rows: str) -> None:
        for row in iterate_cells(rows, self._keys):
            if self._next_row == MAX_SHEET_ROWS:
                self._begin_sheet()
            for column, cell in enumerate(row):
                self._write_cell(column, cell)
            self._next_row += 1

    def _write_cell(self, column: int, cell: Cell) -> None:
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._next_row, column, cell)
        elif isinstance(cell, Decimal | int):
            self._sheet.write_number(self._next_row, column, cell, self._amount)
        elif cell is not None:
            # XlsxWriter interprets a leading <r> as its own markup.
            self._sheet.write_string(self._next_row, column, f" {cell}" if cell.startswith("<r>") else cell)
