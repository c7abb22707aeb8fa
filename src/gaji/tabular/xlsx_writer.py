"""Rows as a spreadsheet (XLSX), with the keys on top; amounts are numbers, everything else is text.

The library keeps one row in memory. It is not quick, so it works beside whoever else is served.
"""

import asyncio
from decimal import Decimal
from typing import IO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from gaji.tabular.cells import Cell, cells

MOST_ROWS = 1_048_576
"""Of a sheet, by the format; further rows are on further sheets."""
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


class Spreadsheet:
    """Writes them."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._bold = self._workbook.add_format({"bold": True})
        self._amount = self._workbook.add_format({"num_format": "#,##0.00"})
        self._keys = keys
        self._begin_sheet()

    async def write(self, rows: str) -> None:
        """Write some rows."""
        await asyncio.to_thread(self._write, rows)

    async def end(self) -> None:
        """Put the file together."""
        await asyncio.to_thread(self._workbook.close)

    def _begin_sheet(self) -> None:
        self._sheet: Worksheet = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        for column, key in enumerate(self._keys):
            self._sheet.write_string(0, column, key, self._bold)
        self._next = 1

    def _write(self, rows: str) -> None:
        for row in cells(rows, self._keys):
            if self._next == MOST_ROWS:
                self._begin_sheet()
            for column, cell in enumerate(row):
                self._write_cell(column, cell)
            self._next += 1

    def _write_cell(self, column: int, cell: Cell) -> None:
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._next, column, cell)
        elif isinstance(cell, Decimal | int):
            self._sheet.write_number(self._next, column, cell, self._amount)
        elif cell is not None:
            # The library would take this beginning for markup of its own.
            self._sheet.write_string(self._next, column, f" {cell}" if cell.startswith("<r>") else cell)
