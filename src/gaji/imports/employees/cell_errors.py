"""Validation errors by cell, so that the user can find them in the workbook."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from xlsxwriter.utility import xl_col_to_name

from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import CombinedError, ErrorCode, Errors, FieldError, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.imports.employees.columns import EMPLOYEE_NUMBER, ID, IDENTIFIERS, NUMBER
from gaji.imports.employees.file_values import Cell, is_blank
from gaji.imports.employees.xlsx_reader import SheetContent

MAX_CELLS = 1000
"""Cells that are named in a response. A workbook full of errors must not cause a huge response."""

MAX_VALUE_LENGTH = 100
NAME_KEYS = ("first_name", "last_name", "name")
LAST_NAME_FIRST = ("last_name", "first_name")
LAST_NAME_FIRST_FORMATS = {
    text for entry in CONSTANT_LISTS["name_format"] if entry.value == 2 for text in (str(entry.value), entry.name)
}
"""How a cell says that the last name comes first."""

MORE_CELLS = ErrorCode("more_cells", "{count} more cells are not valid")
SAME_AS_CELL = ErrorCode("same_as_cell", "duplicates {cell}")

CellPosition = tuple[int, int]
"""A row and a column, both counted from 1."""


@dataclass(frozen=True)
class CellError(CombinedError):
    """The errors of a cell, and what the cell is about."""

    value: str = ""
    """The value as a text. Empty cells and those of identifiers have none."""
    person: str = ""
    """The name and the number in the row."""
    column: str = ""
    """The caption of the column."""

    def details(self) -> list[dict[str, Any]]:
        """Return an element of `error_details` for each error, with person, column and value."""
        place = {"person": self.person, "column": self.column, "value": self.value}
        known = {name: text for name, text in place.items() if text}
        return [{**detail, **known} for detail in super().details()]


class CellErrors:
    """Collects the errors of the cells of a sheet."""

    def __init__(self, sheet: SheetContent, captions: Mapping[str, str]) -> None:
        self._sheet = sheet
        self._captions = captions
        """By key."""
        self._columns = dict(reversed(sheet.keys))
        """Column numbers by key, counted from 1."""
        self._errors: dict[CellPosition, list[FieldError]] = {}

    def __len__(self) -> int:
        return len(self._errors)

    def __iter__(self) -> Iterator[FieldError]:
        """Yield the error of each cell, in the order of the sheet."""
        rows = {row.number: row.cells for row in self._sheet.rows} if self._errors else {}
        for (row, column), cell_errors in sorted(self._errors.items()):
            name = cell_name(self._sheet.name, (row, column))
            parts = [_move_to_cell(name, error) for error in cell_errors]
            cells = rows.get(row, ())
            yield CellError(
                name,
                parts[0].kind,
                parts[0].params,
                parts,
                self._value_text(cells, column),
                self._person(cells),
                self._caption(column),
            )

    def add(self, position: CellPosition, error: FieldError) -> None:
        """Add an error to a cell, unless the cell already has the same one."""
        self._add(position, replace(error, path=""))

    def add_row_errors(self, row: int, errors: Errors) -> None:
        """Add the errors of a row to the cells of their attributes."""
        for path, error in errors.items():
            column = self._find_column(path)
            if column is not None:
                self.add((row, column), error)
            else:
                self._add((row, self._id_column), replace(error, path=path[:MAX_NAME_LENGTH]))

    def cell_name(self, row: int, path: str) -> str:
        """Return the name of the cell of an attribute in a row."""
        return cell_name(self._sheet.name, (row, self._find_column(path) or self._id_column))

    def _value_text(self, cells: Sequence[Cell], column: int) -> str:
        """Return the value of a cell in a row as a text. A header has no cells."""
        pairs = zip(self._sheet.keys, cells, strict=False)
        values = (cell for (key, number), cell in pairs if number == column and key not in IDENTIFIERS)
        value = next(values, None)
        return "" if is_blank(value) else str(value)[:MAX_VALUE_LENGTH]

    def _person(self, cells: Sequence[Cell]) -> str:
        """Return the name and the number in a row."""
        values = {key: cell for (key, _), cell in zip(self._sheet.keys, cells, strict=False) if not is_blank(cell)}
        # Names are in the order in which they are shown.
        keys = LAST_NAME_FIRST if str(values.get("name_format")).strip() in LAST_NAME_FIRST_FORMATS else NAME_KEYS
        name = " ".join(str(values[key]).strip() for key in keys if key in values)
        number = values.get(NUMBER) or values.get(EMPLOYEE_NUMBER)
        return f"{name} ({number})"[:MAX_VALUE_LENGTH] if name and number else (name or str(number or ""))

    def _caption(self, column: int) -> str:
        key = next((key for key, number in self._sheet.keys if number == column), "")
        return self._captions.get(key, key)[:MAX_VALUE_LENGTH]

    def _add(self, position: CellPosition, error: FieldError) -> None:
        """Add an error whose path is empty, or an attribute that has no column."""
        errors = self._errors.setdefault(position, [])
        if error not in errors:
            errors.append(error)

    def _find_column(self, path: str) -> int | None:
        """Return the column of an attribute. A group has the column of its first attribute."""
        if path in self._columns:
            return self._columns[path]
        return next((column for key, column in self._columns.items() if key.startswith(f"{path}.")), None)

    @property
    def _id_column(self) -> int:
        """The column that identifies the row, for errors without a column."""
        return self._columns.get(ID, 1)


def raise_if_any(*sheets: CellErrors) -> None:
    """Raise ValidationError, with the errors of all sheets by cell name, if there are any."""
    count = sum(map(len, sheets))
    if not count:
        return
    errors = Errors({error.path: error for error in chain(*sheets)}).first(MAX_CELLS)
    if count > MAX_CELLS:
        errors.add("…", MORE_CELLS, count=f"{count - MAX_CELLS:,}")
    noun = "1 cell is" if count == 1 else f"{count:,} cells are"
    raise ValidationError(errors, f"{noun} not valid; nothing has been saved")


def _move_to_cell(name: str, error: FieldError) -> FieldError:
    return replace(error, path=f"{name}.{error.path}" if error.path else name)


def cell_name(sheet: str, position: CellPosition) -> str:
    """Return the name of a cell as spreadsheets show it.

    >>> cell_name("Employees", (12, 6))
    'Employees!F12'
    """
    row, column = position
    return f"{sheet}!{xl_col_to_name(column - 1)}{row}"
