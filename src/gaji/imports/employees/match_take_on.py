"""Match the rows of the sheet of opening balances to employees, and compare them with the stored balances."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Errors
from gaji.core.field_types import parse_integer
from gaji.core.validation import Record
from gaji.imports.employees.cell_errors import SAME_AS_CELL, CellErrors
from gaji.imports.employees.cells import is_unchanged, to_request_value, value_at
from gaji.imports.employees.columns import EMPLOYEE_NUMBER, Column
from gaji.imports.employees.diff import find_cell_errors
from gaji.imports.employees.file_values import is_blank
from gaji.imports.employees.header import SheetHeader
from gaji.imports.employees.match_children import UNKNOWN_EMPLOYEE_NUMBER
from gaji.imports.employees.match_rows import row_value
from gaji.imports.employees.take_on_columns import IR8A, LEAVE, NAME, YEAR
from gaji.imports.employees.xlsx_reader import SheetRow

StoredBalances = Mapping[int, Mapping[str, Any]]
"""Balances as the API returns them, by employee."""


@dataclass(frozen=True)
class TakeOnRow:
    """A row, its employee and the balances that it gives."""

    row: SheetRow
    employee_number: str
    employee_id: int | None
    """None for an employee who has not been created yet."""
    body: Record
    """Empty if the row changes nothing."""


@dataclass(frozen=True)
class TakeOnRows:
    """The rows that change something, and the number of the others."""

    changed: Sequence[TakeOnRow] = ()
    unchanged: int = 0

    @property
    def employee_ids(self) -> Set[int]:
        """The existing employees whose balances change."""
        return {row.employee_id for row in self.changed if row.employee_id is not None}


class TakeOnMatcher:
    """Matches rows to employees. What cannot be matched is an error of its cell."""

    def __init__(
        self,
        header: SheetHeader,
        id_by_number: Mapping[str, int | None],
        stored: StoredBalances,
        errors: CellErrors,
    ) -> None:
        self._columns = {column.key: (index, column) for index, column in header.columns}
        self._figures = [item for key, item in self._columns.items() if key not in (EMPLOYEE_NUMBER, NAME, YEAR)]
        self._id_by_number = id_by_number
        self._stored = stored
        self._errors = errors

    def match(self, rows: Sequence[SheetRow]) -> TakeOnRows:
        """Return what rows change."""
        matched = [take_on_row for row in rows if (take_on_row := self._match_row(row)) is not None]
        self._add_duplicates(matched)
        changed = [row for row in matched if row.body]
        return TakeOnRows(changed, len(matched) - len(changed))

    def _match_row(self, row: SheetRow) -> TakeOnRow | None:
        """Return a row, or None if it has an error that prevents its comparison."""
        errors = find_cell_errors(row, self._columns.values())
        number = str(row_value(row, self._columns, EMPLOYEE_NUMBER) or "")
        if not number:
            errors.add_if_absent(EMPLOYEE_NUMBER, REQUIRED)
        elif number not in self._id_by_number:
            errors.add_if_absent(EMPLOYEE_NUMBER, UNKNOWN_EMPLOYEE_NUMBER)
        self._errors.add_row_errors(row.number, errors)
        if errors:
            return None
        employee_id = self._id_by_number[number]
        return TakeOnRow(row, number, employee_id, self._body(row, self._stored.get(employee_id or 0)))

    def _body(self, row: SheetRow, stored: Mapping[str, Any] | None) -> Record:
        """Return the balances after a row. Figures of another year are not kept."""
        if self._is_unchanged(row, stored):
            return {}
        year = row_value(row, self._columns, YEAR)
        is_same_year = stored is not None and parse_integer(year) in (None, stored[YEAR])
        base: Mapping[str, Any] = stored if stored is not None and is_same_year else {IR8A: {}, LEAVE: {}}
        body: Record = {**base, IR8A: dict(base[IR8A]), LEAVE: dict(base[LEAVE])}
        if year is not None:
            body[YEAR] = year
        for index, column in self._figures:
            _set_value(body, column, to_request_value(column, row.cells[index]))
        return body

    def _is_unchanged(self, row: SheetRow, stored: Mapping[str, Any] | None) -> bool:
        if stored is None:
            return all(is_blank(row.cells[index]) for index, _ in self._figures)
        year = row_value(row, self._columns, YEAR)
        return year in (None, stored[YEAR]) and all(
            is_unchanged(column, row.cells[index], value_at(stored, column)) for index, column in self._figures
        )

    def _add_duplicates(self, rows: Sequence[TakeOnRow]) -> None:
        """Add an error to each row of an employee with an earlier row."""
        first: dict[str, int] = {}
        for item in rows:
            earlier = first.setdefault(item.employee_number, item.row.number)
            if earlier != item.row.number:
                cell = self._errors.cell_name(earlier, EMPLOYEE_NUMBER)
                error = Errors.single(EMPLOYEE_NUMBER, SAME_AS_CELL, cell=cell)
                self._errors.add_row_errors(item.row.number, error)


def _set_value(body: Record, column: Column, value: object) -> None:
    """Set the value of a column, or remove it if it is empty."""
    *groups, name = column.path
    target = body[groups[0]] if groups else body
    if value is None:
        target.pop(name, None)
    else:
        target[name] = value
