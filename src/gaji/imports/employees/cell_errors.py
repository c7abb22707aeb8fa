"""Validation errors by cell, so that the user can find them in the workbook."""

from collections.abc import Mapping
from dataclasses import replace

from xlsxwriter.utility import xl_col_to_name

from gaji.core.errors import CombinedError, ErrorCode, Errors, FieldError, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.imports.employees.columns import ID
from gaji.imports.employees.xlsx_reader import SHEET

MAX_CELLS = 1000
"""Cells that are named in a response. A workbook full of errors must not cause a huge response."""

MORE_CELLS = ErrorCode("more_cells", "{count} more cells are not valid")

CellPosition = tuple[int, int]
"""A row and a column, both counted from 1."""


class CellErrors:
    """Collects the errors of cells."""

    def __init__(self, columns: Mapping[str, int]) -> None:
        self._columns = columns
        """Column numbers by key, counted from 1."""
        self._errors: dict[CellPosition, list[FieldError]] = {}

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
        return cell_name((row, self._find_column(path) or self._id_column))

    def raise_if_any(self) -> None:
        """Raise ValidationError, with the errors by cell name, if there are any errors."""
        if not self._errors:
            return
        errors = Errors()
        for position, cell_errors in sorted(self._errors.items())[:MAX_CELLS]:
            name = cell_name(position)
            errors[name] = CombinedError.combine(name, [_move_to_cell(name, error) for error in cell_errors])
        count = len(self._errors)
        if count > MAX_CELLS:
            errors.add("…", MORE_CELLS, count=f"{count - MAX_CELLS:,}")
        noun = "1 cell is" if count == 1 else f"{count:,} cells are"
        raise ValidationError(errors, f"{noun} not valid; nothing has been saved")

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


def _move_to_cell(name: str, error: FieldError) -> FieldError:
    return replace(error, path=f"{name}.{error.path}" if error.path else name)


def cell_name(position: CellPosition) -> str:
    """Return the name of a cell as spreadsheets show it.

    >>> cell_name((12, 6))
    'Employees!F12'
    """
    row, column = position
    return f"{SHEET}!{xl_col_to_name(column - 1)}{row}"
