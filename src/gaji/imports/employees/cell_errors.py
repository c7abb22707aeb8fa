"""Faults by cell: what is wrong, where the person who has the workbook in front of them finds it."""

from collections.abc import Mapping

from xlsxwriter.utility import xl_col_to_name

from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.imports.employees.columns import ID
from gaji.imports.employees.xlsx_reader import SHEET

MOST_NAMED = 1000
"""Of cells: a workbook that is wrong all over must not make a huge answer."""

Place = tuple[int, int]
"""A row and a column, from 1."""


class CellFaults:
    """Collects what is wrong with cells."""

    def __init__(self, columns: Mapping[str, int]) -> None:
        self._columns = columns
        self._found: dict[Place, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, place: Place, fault: str) -> None:
        """Something is wrong with a cell."""
        told = self._found.setdefault(place, [])
        if fault not in told:
            told.append(fault)

    def add_all(self, row: int, faults: Errors) -> None:
        """Attributes of a row are not valid."""
        for path, fault in faults.items():
            column = self._column(path)
            if column is not None:
                self.add((row, column), fault)
            else:
                self.add((row, self._whose()), f"{path[:MAX_NAME_LENGTH]}: {fault}")

    def cell(self, row: int, path: str) -> str:
        """The name of the cell that an attribute of a row is in."""
        return cell_name((row, self._column(path) or self._whose()))

    def refuse(self) -> None:
        """Refuse the workbook when anything is wrong with it."""
        if not self._found:
            return
        count = len(self._found)
        told = {cell_name(place): "; ".join(faults) for place, faults in sorted(self._found.items())[:MOST_NAMED]}
        if count > MOST_NAMED:
            told["…"] = f"{count - MOST_NAMED:,} more cells are not valid"
        noun = "1 cell is" if count == 1 else f"{count:,} cells are"
        raise ValidationError(told, f"{noun} not valid; nothing has been saved")

    def _column(self, path: str) -> int | None:
        """The column of an attribute; a group is where the first of its attributes is."""
        if path in self._columns:
            return self._columns[path]
        return next((place for key, place in self._columns.items() if key.startswith(f"{path}.")), None)

    def _whose(self) -> int:
        """The column that says whose the row is: for what there is no column of."""
        return self._columns.get(ID, 1)


def cell_name(place: Place) -> str:
    """A cell as spreadsheets name it.

    >>> cell_name((12, 6))
    'Employees!F12'
    """
    row, column = place
    return f"{SHEET}!{xl_col_to_name(column - 1)}{row}"
