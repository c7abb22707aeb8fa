"""Writing the workbook: a sheet of employees, one of constants, and one that says how to go about it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import IO, Any

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from gaji.core.constants import Entry
from gaji.imports.employees.columns import FIRST, Column, Form
from gaji.imports.employees.layout import Layout
from gaji.imports.employees.xlsx_reader import MOST_ROWS, SHEET
from gaji.imports.employees.cells import Cell

CONSTANTS = "Constants"
READ_ME = "Read me"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
HEADER_ROWS = 2
"""What people read, and the keys."""
NARROW, WIDE = 14, 22
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""As the day on which the file was made: the same employees give the same bytes."""
BOOLEANS = ["TRUE", "FALSE"]
GUIDE = (
    "One row of the sheet Employees is one employee. The second row has the keys of the columns: columns can be moved "
    "or left out, the keys must stay. Columns without a key are not read.",
    "A row with an employee ID, or with the number of an employee, changes that employee. Any other row adds one.",
    "A cell that is left as it was changes nothing. A cell that is emptied clears the value.",
    "Identifiers that are shown with * are hidden from the key they were exported with; left as they are, they stay.",
    "Allowed values are on the sheet Constants.",
    "On import everything is checked first. If anything is wrong, every such cell is named and nothing is saved.",
)


class EmployeeWorkbook:
    """Writes a workbook, a row at a time."""

    def __init__(self, file: IO[bytes], layout: Layout) -> None:
        self._workbook = Workbook(file, OPTIONS)
        self._workbook.set_properties({"title": SHEET, "created": SOME_DAY})
        self._columns = layout.columns
        self._formats = self._make_formats()
        self._sheet: Worksheet = self._workbook.add_worksheet(SHEET)
        self._begin()
        ranges = self._write_constants(layout.lists)
        self._validate(ranges)
        self._write_read_me()
        self._next = HEADER_ROWS

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write some employees, each in the order of the columns."""
        for row in rows:
            for place, (column, cell) in enumerate(zip(self._columns, row, strict=True)):
                if cell is not None:
                    self._write_cell(place, column, cell)
            self._next += 1

    def end(self) -> None:
        """Put the file together."""
        self._workbook.close()

    def _make_formats(self) -> Mapping[Any, Any]:
        add = self._workbook.add_format
        return {
            "caption": add({"bold": True, "text_wrap": True, "valign": "top", "bottom": 0}),
            "key": add({"font_color": "#666666", "font_size": 9, "bottom": 1}),
            "wrapped": add({"text_wrap": True, "valign": "top"}),
            Form.TEXT: add({"num_format": "@"}),
            Form.NUMBER: None,
            Form.AMOUNT: add({"num_format": "#,##0.00"}),
            Form.DAY: add({"num_format": "yyyy-mm-dd"}),
            Form.BOOLEAN: None,
        }

    def _begin(self) -> None:
        for place, column in enumerate(self._columns):
            width = WIDE if column.form is Form.TEXT else NARROW
            self._sheet.set_column(place, place, width, self._formats[column.form])
        self._sheet.set_row(0, 32)
        for number, name in enumerate(("caption", "key")):
            for place, column in enumerate(self._columns):
                write_text(self._sheet, number, place, getattr(column, name), self._formats[name])
        self._sheet.freeze_panes(HEADER_ROWS, 1 + len(FIRST))

    def _write_constants(self, lists: Mapping[str, Sequence[Entry]]) -> dict[str, str | None]:
        """Write the lists side by side, each with values and names; gives by name where its values are."""
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
        return {name: _range(2 * number, len(entries)) for number, (name, entries) in enumerate(lists.items())}

    def _validate(self, ranges: Mapping[str, str | None]) -> None:
        """Let cells offer the values of their lists."""
        for place, column in enumerate(self._columns):
            source: Any = ranges.get(column.list_name or "") or (BOOLEANS if column.form is Form.BOOLEAN else None)
            if source is None:
                continue
            title = {"error_title": column.caption[:32], "error_message": f"See the sheet {CONSTANTS}"}
            kind = "warning" if column.open_list else "stop"
            options = {"validate": "list", "source": source, "error_type": kind, **title}
            self._sheet.data_validation(HEADER_ROWS, place, HEADER_ROWS + MOST_ROWS - 1, place, options)

    def _write_read_me(self) -> None:
        sheet = self._workbook.add_worksheet(READ_ME)
        for place, width in enumerate((34, 34, 90, 10, 34)):
            sheet.set_column(place, place, width)
        for number, sentence in enumerate(GUIDE):
            write_text(sheet, number, 0, sentence)
        titles = ("Key", "Column", "What it is", "Required", "List on the sheet Constants")
        first = len(GUIDE) + 1
        for place, title in enumerate(titles):
            write_text(sheet, first, place, title, self._formats["caption"])
        for number, column in enumerate(self._columns, start=first + 1):
            required = "yes" if column.required else ""
            texts = (column.key, column.caption, column.about, required, column.list_name or "")
            for place, text in enumerate(texts):
                write_text(sheet, number, place, text, self._formats["wrapped"])

    def _write_cell(self, place: int, column: Column, cell: str | bool | int | Decimal | date) -> None:
        style = self._formats[column.form]
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._next, place, cell, style)
        elif isinstance(cell, int | Decimal):
            self._sheet.write_number(self._next, place, cell, style)
        elif isinstance(cell, date):
            self._sheet.write_datetime(self._next, place, cell, style)
        else:
            write_text(self._sheet, self._next, place, cell, style)


def write_text(sheet: Worksheet, row: int, place: int, text: str, style: Any = None) -> None:
    """Write a text as it is; the library would take one beginning for markup of its own."""
    sheet.write_string(row, place, f" {text}" if text.startswith("<r>") else text, style)


def _write_value(sheet: Worksheet, row: int, place: int, value: str | int) -> None:
    if isinstance(value, int):
        sheet.write_number(row, place, value)
    else:
        write_text(sheet, row, place, value)


def _range(place: int, length: int) -> str | None:
    letters = xl_col_to_name(place)
    return f"={CONSTANTS}!${letters}$2:${letters}${length + 1}" if length else None
