"""Spreadsheets (XLSX) with a header row on each sheet. Numbers are numbers, other values are text.

The library keeps only one row in memory. It is slow, so it runs in a worker thread.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import IO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from gaji.core.threads import REPORTS
from gaji.tabular.cells import Cell, iterate_cells

MAX_SHEET_ROWS = 1_048_576
"""The limit of the file format. Further rows go to further sheets."""
AMOUNT_FORMAT = "#,##0.00"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


class XlsxSheet:
    """A sheet with a bold header row that stays visible."""

    def __init__(self, workbook: Workbook, title: str | None, keys: Sequence[str], number_format: str | None) -> None:
        self._numbers = workbook.add_format({"num_format": number_format} if number_format else {})
        self._sheet: Worksheet = workbook.add_worksheet(title)
        self._sheet.freeze_panes(1, 0)
        self._sheet.write_row(0, 0, keys, workbook.add_format({"bold": True}))
        self._next_row = 1

    @property
    def is_full(self) -> bool:
        """Whether no further row fits."""
        return self._next_row == MAX_SHEET_ROWS

    def append(self, cells: Sequence[Cell]) -> None:
        """Write the next row."""
        for column, cell in enumerate(cells):
            self._write_cell(column, cell)
        self._next_row += 1

    def _write_cell(self, column: int, cell: Cell) -> None:
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._next_row, column, cell)
        elif isinstance(cell, Decimal | int):
            self._sheet.write_number(self._next_row, column, cell, self._numbers)
        elif cell is not None:
            # XlsxWriter interprets a leading <r> as its own markup.
            self._sheet.write_string(self._next_row, column, f" {cell}" if cell.startswith("<r>") else cell)


class XlsxWorkbook:
    """A spreadsheet. Its sheets are written one after the other."""

    def __init__(self, file: IO[bytes], number_format: str | None = None) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._number_format = number_format

    def add_sheet(self, keys: Sequence[str], title: str | None = None) -> XlsxSheet:
        """Begin a sheet with these headings."""
        return XlsxSheet(self._workbook, title, keys, self._number_format)

    def close(self) -> None:
        """Assemble the file."""
        self._workbook.close()


class XlsxRowWriter:
    """Writes rows as a spreadsheet."""

    def __init__(self, file: IO[bytes], keys: list[str]) -> None:
        self._workbook = XlsxWorkbook(file, AMOUNT_FORMAT)
        self._keys = keys
        self._sheet = self._workbook.add_sheet(keys)

    async def write(self, rows: str) -> None:
        """Write rows."""
        await REPORTS.run(self._write, rows)

    async def finish(self) -> None:
        """Assemble the file."""
        await REPORTS.run(self._workbook.close)

    def _write(self, rows: str) -> None:
        for row in iterate_cells(rows, self._keys):
            if self._sheet.is_full:
                self._sheet = self._workbook.add_sheet(self._keys)
            self._sheet.append(row)
