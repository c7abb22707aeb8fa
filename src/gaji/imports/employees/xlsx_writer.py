"""Write a workbook: sheets of records, a sheet of constants and a sheet with instructions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import IO, Any

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from gaji.core.constants import ConstantEntry
from gaji.imports.employees.cells import NO, YES
from gaji.imports.employees.columns import CellFormat, Column
from gaji.imports.employees.file_values import Cell
from gaji.imports.employees.layout import SheetLayout, WorkbookLayout

CONSTANTS = "Constants"
READ_ME = "Read me"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
HEADER_ROWS = 2
"""The captions and the keys."""
NARROW, WIDE = 14, 22
READ_ME_WIDTHS = (14, 34, 34, 90, 10, 34)
READ_ME_TITLES = ("Sheet", "Key", "Column", "Description", "Required", "List on the sheet Constants")
MAX_TITLE_LENGTH = 32
CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""A fixed creation time, so that the same employees always give the same bytes."""
BOOLEANS = ["TRUE", "FALSE"]


@dataclass(frozen=True)
class ListRanges:
    """The cell ranges of the lists on the sheet of constants, by list."""

    values: Mapping[str, str | None]
    names: Mapping[str, str | None]


class SheetWriter:
    """Writes a sheet row by row."""

    def __init__(
        self, sheet: Worksheet, columns: Sequence[Column], formats: Mapping[Any, Any], key_columns: int
    ) -> None:
        self._sheet, self.columns, self._formats = sheet, columns, formats
        self._next_row = HEADER_ROWS
        self._write_header(key_columns)

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write rows, with the cells in the order of the columns."""
        for row in rows:
            for index, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
                if cell is not None:
                    self._write_cell(index, column, cell)
            self._next_row += 1

    def add_validation(self, ranges: ListRanges, max_rows: int, *, words: bool) -> None:
        """Offer the values of the lists in the cells of their columns, or their words."""
        for index, column in enumerate(self.columns):
            flags = ([YES, NO] if words else BOOLEANS) if column.format is CellFormat.BOOLEAN else None
            known = ranges.names if words and column.names else ranges.values
            source: Any = known.get(column.list_name or "") or flags
            if source is not None:
                options = _list_options(column, source)
            elif column.minimum is not None:
                options = _number_options(column, column.minimum)
            else:
                continue
            self._sheet.data_validation(HEADER_ROWS, index, HEADER_ROWS + max_rows - 1, index, options)

    def _write_header(self, key_columns: int) -> None:
        for index, column in enumerate(self.columns):
            width = WIDE if column.format is CellFormat.TEXT else NARROW
            self._sheet.set_column(index, index, width, self._formats[column.format])
        self._sheet.set_row(0, 32)
        for row, name in enumerate(("caption", "key")):
            for index, column in enumerate(self.columns):
                write_text(self._sheet, row, index, getattr(column, name), self._formats[name])
        self._sheet.freeze_panes(HEADER_ROWS, key_columns)

    def _write_cell(self, index: int, column: Column, cell: str | bool | int | Decimal | date) -> None:
        cell_format = self._formats[column.format]
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._next_row, index, cell, cell_format)
        elif isinstance(cell, int | Decimal):
            self._sheet.write_number(self._next_row, index, cell, cell_format)
        elif isinstance(cell, date):
            self._sheet.write_datetime(self._next_row, index, cell, cell_format)
        else:
            write_text(self._sheet, self._next_row, index, cell, cell_format)


class WorkbookWriter:
    """Writes a workbook row by row."""

    def __init__(self, file: IO[bytes], layout: WorkbookLayout, *, words: bool = False) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._workbook.set_properties({"title": layout.sheets[0].format.name, "created": CREATED_AT})
        self._formats = self._make_formats()
        self.sheets = [self._add_sheet(sheet) for sheet in layout.sheets]
        ranges = self._write_constants(layout.lists)
        for sheet, writer in zip(layout.sheets, self.sheets, strict=True):
            writer.add_validation(ranges, sheet.format.max_rows, words=words)
        self._write_read_me(layout)

    def finish(self) -> None:
        """Assemble the file."""
        self._workbook.close()

    def _add_sheet(self, sheet: SheetLayout) -> SheetWriter:
        worksheet = self._workbook.add_worksheet(sheet.format.name)
        return SheetWriter(worksheet, sheet.columns, self._formats, sheet.key_columns)

    def _make_formats(self) -> Mapping[Any, Any]:
        add = self._workbook.add_format
        return {
            "caption": add({"bold": True, "text_wrap": True, "valign": "top", "bottom": 0}),
            "key": add({"font_color": "#666666", "font_size": 9, "bottom": 1}),
            "wrapped": add({"text_wrap": True, "valign": "top"}),
            CellFormat.TEXT: add({"num_format": "@"}),
            CellFormat.NUMBER: None,
            CellFormat.AMOUNT: add({"num_format": "#,##0.00"}),
            CellFormat.DATE: add({"num_format": "yyyy-mm-dd"}),
            CellFormat.BOOLEAN: None,
        }

    def _write_constants(self, lists: Mapping[str, Sequence[ConstantEntry]]) -> ListRanges:
        """Write the lists side by side, with values and names, and return their cell ranges."""
        sheet = self._workbook.add_worksheet(CONSTANTS)
        sheet.set_column(0, 2 * len(lists), WIDE)
        sheet.freeze_panes(1, 0)
        for number, name in enumerate(lists):
            write_text(sheet, 0, 2 * number, name, self._formats["caption"])
        for row in range(max(map(len, lists.values()), default=0)):
            for number, entries in enumerate(lists.values()):
                if row < len(entries):
                    _write_value(sheet, row + 1, 2 * number, entries[row].value)
                    write_text(sheet, row + 1, 2 * number + 1, entries[row].name)
        columns = [(name, 2 * number, len(entries)) for number, (name, entries) in enumerate(lists.items())]
        return ListRanges(
            {name: _cell_range(column, length) for name, column, length in columns},
            {name: _cell_range(column + 1, length) for name, column, length in columns},
        )

    def _write_read_me(self, layout: WorkbookLayout) -> None:
        sheet = self._workbook.add_worksheet(READ_ME)
        for index, width in enumerate(READ_ME_WIDTHS):
            sheet.set_column(index, index, width)
        for row, sentence in enumerate(layout.instructions):
            write_text(sheet, row, 0, sentence)
        title_row = len(layout.instructions) + 1
        for index, title in enumerate(READ_ME_TITLES):
            write_text(sheet, title_row, index, title, self._formats["caption"])
        columns = [(sheet.format.name, column) for sheet in layout.sheets for column in sheet.columns]
        for row, (sheet_name, column) in enumerate(columns, start=title_row + 1):
            required = "yes" if column.required else ""
            texts = (sheet_name, column.key, column.caption, column.description, required, column.list_name or "")
            for index, text in enumerate(texts):
                write_text(sheet, row, index, text, self._formats["wrapped"])


def _list_options(column: Column, source: Any) -> dict[str, Any]:
    return {
        "validate": "list",
        "source": source,
        "error_type": "warning" if column.open_list else "stop",
        "error_title": column.caption[:MAX_TITLE_LENGTH],
        "error_message": f"See the sheet {CONSTANTS}",
    }


def _number_options(column: Column, minimum: int) -> dict[str, Any]:
    return {
        "validate": "decimal",
        "criteria": ">=",
        "value": minimum,
        "error_title": column.caption[:MAX_TITLE_LENGTH],
        "error_message": f"Enter a number that is at least {minimum}",
    }


def write_text(sheet: Worksheet, row: int, column: int, text: str, cell_format: Any = None) -> None:
    """Write a text literally. XlsxWriter interprets a leading <r> as its own markup."""
    sheet.write_string(row, column, f" {text}" if text.startswith("<r>") else text, cell_format)


def _write_value(sheet: Worksheet, row: int, column: int, value: str | int) -> None:
    if isinstance(value, int):
        sheet.write_number(row, column, value)
    else:
        write_text(sheet, row, column, value)


def _cell_range(column: int, length: int) -> str | None:
    letters = xl_col_to_name(column)
    return f"={CONSTANTS}!${letters}$2:${letters}${length + 1}" if length else None
