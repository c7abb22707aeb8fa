"""Spreadsheets (XLSX) with a header row on each sheet. Numbers are numbers, other values are text.

Those for people have headings instead of keys, dates as dates, and columns as wide as their content.

The library keeps only one row in memory. It is slow, so it runs in a worker thread.
"""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import IO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from gaji.core.threads import REPORTS
from gaji.tabular.cells import Cell, iterate_cells

MAX_SHEET_ROWS = 1_048_576
"""The limit of the file format. Further rows go to further sheets."""
AMOUNT_FORMAT = "#,##0.00"
DATE_FORMAT = "d mmm yyyy"
DAY = re.compile(r"\d{4}-\d\d-\d\d")
FIRST_YEAR = 1900
"""The format has no earlier dates."""
MAX_WIDTH = 40
"""The widest column, in characters."""
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


class XlsxSheet:
    """A sheet with a bold header row that stays visible."""

    def __init__(
        self,
        workbook: Workbook,
        title: str | None,
        keys: Sequence[str],
        number_format: str | None,
        *,
        is_for_people: bool = False,
    ) -> None:
        self._is_for_people = is_for_people
        self._dates = workbook.add_format({"num_format": DATE_FORMAT, "align": "left"})
        self._widths = [len(key) for key in keys]
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
            if self._is_for_people:
                self._widths[column] = max(self._widths[column], _text_width(cell))
            day = _parse_day(cell) if self._is_for_people else None
            if day:
                self._sheet.write_datetime(self._next_row, column, day, self._dates)
            else:
                self._write_cell(column, cell)
        self._next_row += 1

    def fit_columns(self) -> None:
        """Make the columns as wide as their content, up to a limit."""
        for column, width in enumerate(self._widths):
            self._sheet.set_column(column, column, min(width, MAX_WIDTH) + 2)

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

    def add_sheet(self, keys: Sequence[str], title: str | None = None, *, is_for_people: bool = False) -> XlsxSheet:
        """Begin a sheet with these headings."""
        return XlsxSheet(self._workbook, title, keys, self._number_format, is_for_people=is_for_people)

    def close(self) -> None:
        """Assemble the file."""
        self._workbook.close()


class XlsxRowWriter:
    """Writes rows as a spreadsheet. With headings, it is one for people."""

    def __init__(self, file: IO[bytes], keys: list[str], headings: Sequence[str] | None = None) -> None:
        self._workbook = XlsxWorkbook(file, AMOUNT_FORMAT)
        self._keys = keys
        self._headings = headings
        self._sheet = self._add_sheet()

    async def write(self, rows: str) -> None:
        """Write rows."""
        await REPORTS.run(self._write, rows)

    async def finish(self) -> None:
        """Assemble the file."""
        await REPORTS.run(self._finish)

    def _write(self, rows: str) -> None:
        for row in iterate_cells(rows, self._keys):
            if self._sheet.is_full:
                self._fit_columns()
                self._sheet = self._add_sheet()
            self._sheet.append(row)

    def _finish(self) -> None:
        self._fit_columns()
        self._workbook.close()

    def _add_sheet(self) -> XlsxSheet:
        is_for_people = self._headings is not None
        return self._workbook.add_sheet(self._headings or self._keys, is_for_people=is_for_people)

    def _fit_columns(self) -> None:
        if self._headings is not None:
            self._sheet.fit_columns()


def _parse_day(cell: Cell) -> date | None:
    """Return the date in a cell, or None if it is not one.

    >>> _parse_day("2026-09-30"), _parse_day("2026-13-01"), _parse_day("1899-12-31")
    (datetime.date(2026, 9, 30), None, None)
    """
    if not isinstance(cell, str) or not DAY.fullmatch(cell):
        return None
    try:
        day = date.fromisoformat(cell)
    except ValueError:
        return None
    return day if day.year >= FIRST_YEAR else None


def _text_width(cell: Cell) -> int:
    """Return about how many characters a cell shows.

    >>> _text_width(Decimal("1234.5")), _text_width("Mei Ling"), _text_width(None)
    (8, 8, 0)
    """
    if isinstance(cell, Decimal | int) and not isinstance(cell, bool):
        return len(f"{cell:,.2f}")
    return 0 if cell is None else len(str(cell))
