"""Compare rows with the stored employees. A cell that equals the stored value changes nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record
from gaji.imports.employees.cells import is_unchanged, to_request_value, value_at
from gaji.imports.employees.columns import ID, NUMBER, Column
from gaji.imports.employees.file_values import is_blank
from gaji.imports.employees.header import SheetHeader
from gaji.imports.employees.xlsx_reader import ERROR_VALUES, UNCALCULATED, SheetRow
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX

GROUPS = ("bank_account", "physical_address")

SPREADSHEET_ERROR = ErrorCode("spreadsheet_error", "contains the spreadsheet error {value}")
FORMULA_WITHOUT_VALUE = ErrorCode("formula_without_value", "contains a formula that has not been calculated")


@dataclass(frozen=True)
class RowChange:
    """The changes of a row."""

    row: int
    employee_id: int | None
    """None for a new employee."""
    attributes: Record = field(default_factory=dict)
    """The nested body of a create or an update."""
    inputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Inputs of calculations, by type and name."""
    cell_errors: Errors = field(default_factory=Errors)
    """The cells that contain a spreadsheet error, by key."""

    @property
    def is_empty(self) -> bool:
        """Whether the row changes nothing."""
        return not (self.attributes or self.inputs or self.cell_errors)

    def set_value(self, column: Column, value: Any) -> None:
        """Set the value of a column."""
        if column.path[0] == CALCULATION_PREFIX:
            self.inputs.setdefault(column.path[1], {})[column.path[2]] = value
            return
        *groups, name = column.path
        target = self.attributes
        for group in groups:
            target = target.setdefault(group, {})
        target[name] = value


class RowDiffer:
    """Computes the changes of rows."""

    def __init__(self, header: SheetHeader, known: Mapping[str, Column]) -> None:
        self._columns = [(index, column) for index, column in header.columns if column.key != ID]
        self._complete_groups = [group for group in GROUPS if header.has_group(group, known)]

    def diff_new(self, row: SheetRow) -> RowChange:
        """Return the changes of a row for a new employee: all its values."""
        change = RowChange(row.number, None, cell_errors=find_cell_errors(row, self._columns))
        for index, column in self._columns:
            value = to_request_value(column, row.cells[index])
            if value is not None and column.key not in change.cell_errors:
                change.set_value(column, value)
        return change

    def diff_existing(self, row: SheetRow, employee_id: int, current: Mapping[str, Any]) -> RowChange:
        """Return the changes of a row for an existing employee: the values that differ from the current ones."""
        change = RowChange(row.number, employee_id, cell_errors=find_cell_errors(row, self._columns))
        for index, column in self._columns:
            cell = row.cells[index]
            if column.key == NUMBER and is_blank(cell):
                continue  # An employee's number cannot be cleared.
            if column.key not in change.cell_errors and not is_unchanged(column, cell, value_at(current, column)):
                change.set_value(column, to_request_value(column, cell))
        for group in self._complete_groups:
            if group in change.attributes and self._is_blank_group(row, group):
                change.attributes[group] = None
        return change

    def _is_blank_group(self, row: SheetRow, group: str) -> bool:
        return all(is_blank(row.cells[index]) for index, column in self._columns if column.path[0] == group)


def find_cell_errors(row: SheetRow, columns: Iterable[tuple[int, Column]]) -> Errors:
    """Return the errors of cells that contain a spreadsheet error, by key."""
    errors = Errors()
    if ERROR_VALUES.isdisjoint(row.cells):
        return errors
    for index, column in columns:
        value = row.cells[index]
        if value == UNCALCULATED:
            errors.add(column.key, FORMULA_WITHOUT_VALUE)
        elif value in ERROR_VALUES:
            errors.add(column.key, SPREADSHEET_ERROR, value=str(value))
    return errors
