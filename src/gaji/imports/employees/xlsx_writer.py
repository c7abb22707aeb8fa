"""Write the workbook: sheets of employees and children, a sheet of constants and a sheet with instructions."""

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
from gaji.imports.employees.columns import FIRST_KEYS, CellFormat, Column
from gaji.imports.employees.file_values import Cell
from gaji.imports.employees.layout import WorkbookLayout
from gaji.imports.employees.sheet_formats import CHILDREN, EMPLOYEES
from gaji.imports.employees.xlsx_reader import SheetFormat

CONSTANTS = "Constants"
READ_ME = "Read me"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
HEADER_ROWS = 2
"""The captions and the keys."""
CHILD_KEY_COLUMNS = 3
"""The columns that identify a child: its ID, the number of the employee and the name."""
NARROW, WIDE = 14, 22
READ_ME_WIDTHS = (14, 34, 34, 90, 10, 34)
READ_ME_TITLES = ("Sheet", "Key", "Column", "Description", "Required", "List on the sheet Constants")
MAX_TITLE_LENGTH = 32
CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""A fixed creation time, so that the same employees always give the same bytes."""
BOOLEANS = ["TRUE", "FALSE"]
INSTRUCTIONS = (
    "Each row of the sheet Employees is one employee. The second row contains the keys of the columns. You can move or "
    "remove columns, but the keys must not change. Columns without a key are ignored.",
    "A row with an employee ID, or with the number of an employee, updates that employee. Any other row adds one.",
    "Each row of the sheet Children is one child of the employee with that number. A row with a child ID, or with the "
    "name and birthdate of a child of the employee, updates that child. Any other row adds one.",
    "Removing a row changes nothing. Delete employees and children in Gaji.",
    "A cell that you do not change has no effect. Emptying a cell clears the value.",
    "Identifiers that contain * are hidden. If you leave them unchanged, they are kept.",
    "The sheet Constants lists the allowed values. Cells take the values or their names, in any case.",
    "Flags take Yes and No. An empty flag means no, or its default.",
    "The import checks all rows first. If there are errors, it names every cell and saves nothing.",
)


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
            if source is None:
                continue
            options = {
                "validate": "list",
                "source": source,
                "error_type": "warning" if column.open_list else "stop",
                "error_title": column.caption[:MAX_TITLE_LENGTH],
                "error_message": f"See the sheet {CONSTANTS}",
            }
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


class EmployeeWorkbook:
    """Writes a workbook row by row."""

    def __init__(self, file: IO[bytes], layout: WorkbookLayout, *, words: bool = False) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._workbook.set_properties({"title": EMPLOYEES.name, "created": CREATED_AT})
        self._formats = self._make_formats()
        self.employees = self._add_sheet(EMPLOYEES, layout.employee_columns, 1 + len(FIRST_KEYS))
        self.children = self._add_sheet(CHILDREN, layout.child_columns, CHILD_KEY_COLUMNS)
        ranges = self._write_constants(layout.lists)
        self.employees.add_validation(ranges, EMPLOYEES.max_rows, words=words)
        self.children.add_validation(ranges, CHILDREN.max_rows, words=words)
        self._write_read_me()

    def finish(self) -> None:
        """Assemble the file."""
        self._workbook.close()

    def _add_sheet(self, sheet_format: SheetFormat, columns: Sequence[Column], key_columns: int) -> SheetWriter:
        return SheetWriter(self._workbook.add_worksheet(sheet_format.name), columns, self._formats, key_columns)

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

    def _write_read_me(self) -> None:
        sheet = self._workbook.add_worksheet(READ_ME)
        for index, width in enumerate(READ_ME_WIDTHS):
            sheet.set_column(index, index, width)
        for row, sentence in enumerate(INSTRUCTIONS):
            write_text(sheet, row, 0, sentence)
        title_row = len(INSTRUCTIONS) + 1
        for index, title in enumerate(READ_ME_TITLES):
            write_text(sheet, title_row, index, title, self._formats["caption"])
        columns = [(EMPLOYEES.name, column) for column in self.employees.columns]
        columns += [(CHILDREN.name, column) for column in self.children.columns]
        for row, (sheet_name, column) in enumerate(columns, start=title_row + 1):
            required = "yes" if column.required else ""
            texts = (sheet_name, column.key, column.caption, column.description, required, column.list_name or "")
            for index, text in enumerate(texts):
                write_text(sheet, row, index, text, self._formats["wrapped"])


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
