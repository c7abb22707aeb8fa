"""Match the rows of the sheet of children to the children on record, and compare them."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from gaji.core.error_codes import NOT_AN_INTEGER, REQUIRED, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import parse_integer
from gaji.core.validation import Record
from gaji.imports.employees.cell_errors import SAME_AS_CELL, CellErrors
from gaji.imports.employees.cells import is_unchanged, to_request_value
from gaji.imports.employees.columns import EMPLOYEE_NUMBER, ID, Column
from gaji.imports.employees.diff import find_cell_errors
from gaji.imports.employees.header import SheetHeader
from gaji.imports.employees.match_rows import row_value
from gaji.imports.employees.xlsx_reader import SheetRow
from gaji.people.children.bulk_changes import ChildChange
from gaji.people.children.queries import StoredChild

UNKNOWN_EMPLOYEE_NUMBER = ErrorCode("unknown_employee_number", "no employee has this number")
CHILD_OF_ANOTHER_EMPLOYEE = ErrorCode("child_of_another_employee", "child {id} belongs to another employee")
DUPLICATE_CHILD_ROW = ErrorCode("duplicate_child_row", "child {id} appears in more than one row; keep only one")


@dataclass(frozen=True)
class ChildRow:
    """A row, the number of its employee and what it changes."""

    row: SheetRow
    employee_number: str
    """Empty if the row has a child ID instead."""
    change: ChildChange

    @property
    def key(self) -> tuple[object, ...]:
        """What identifies a new child: the employee, the name without regard to case and spaces, and the birthdate."""
        return (self.employee_number, *_name_key(self.change.body))


@dataclass(frozen=True)
class ChildRows:
    """The rows that change something, and the number of the others."""

    changed: Sequence[ChildRow] = ()
    unchanged: int = 0

    @property
    def employee_ids(self) -> Set[int]:
        """The existing employees whose children change."""
        return {row.change.employee_id for row in self.changed if row.change.employee_id is not None}


class ChildMatcher:
    """Matches rows to children. What cannot be matched is an error of its cell."""

    def __init__(
        self,
        header: SheetHeader,
        id_by_number: Mapping[str, int | None],
        children: Sequence[StoredChild],
        errors: CellErrors,
    ) -> None:
        self._columns = {column.key: (index, column) for index, column in header.columns}
        self._id_by_number = id_by_number
        self._by_id = {child.id: child for child in children}
        self._by_name = {(child.employee_id, *_name_key(child.record)): child for child in children}
        self._errors = errors

    def match(self, rows: Sequence[SheetRow]) -> ChildRows:
        """Return what rows change."""
        matched = [child_row for row in rows if (child_row := self._match_row(row)) is not None]
        self._add_duplicates(matched)
        changed = [row for row in matched if row.change.body]
        return ChildRows(changed, len(matched) - len(changed))

    def _match_row(self, row: SheetRow) -> ChildRow | None:
        """Return a row, or None if it has an error that prevents its comparison."""
        errors = find_cell_errors(row, self._columns.values())
        number = row_value(row, self._columns, EMPLOYEE_NUMBER)
        id_value = row_value(row, self._columns, ID)
        employee_id = self._find_employee(number, id_value, errors)
        body = self._new_body(row)
        stored = self._find_child(id_value, employee_id, body, errors)
        if stored is not None:
            if number is not None and employee_id != stored.employee_id:
                errors.add_if_absent(EMPLOYEE_NUMBER, CHILD_OF_ANOTHER_EMPLOYEE, id=stored.id)
            employee_id, body = stored.employee_id, self._changed_body(row, stored.record)
        self._errors.add_row_errors(row.number, errors)
        return None if errors else ChildRow(row, str(number or ""), ChildChange(employee_id, stored, body))

    def _find_employee(self, number: object, id_value: object, errors: Errors) -> int | None:
        """Return the employee of a number. A new employee has none yet."""
        if number is None:
            if id_value is None:
                errors.add_if_absent(EMPLOYEE_NUMBER, REQUIRED)
            return None
        if str(number) not in self._id_by_number:
            errors.add_if_absent(EMPLOYEE_NUMBER, UNKNOWN_EMPLOYEE_NUMBER)
        return self._id_by_number.get(str(number))

    def _find_child(
        self, id_value: object, employee_id: int | None, body: Record, errors: Errors
    ) -> StoredChild | None:
        """Return the child with an ID or, without one, the employee's child with this name and birthdate."""
        if id_value is None:
            return self._by_name.get((employee_id, *_name_key(body))) if employee_id is not None else None
        child_id = parse_integer(id_value)
        if child_id is None:
            errors.add_if_absent(ID, NOT_AN_INTEGER)
        elif child_id not in self._by_id:
            errors.add_if_absent(ID, UNKNOWN_ID, resource="child", id=child_id)
        return self._by_id.get(child_id or 0)

    def _new_body(self, row: SheetRow) -> Record:
        values = {column.key: to_request_value(column, row.cells[index]) for index, column in self._attributes}
        return {key: value for key, value in values.items() if value is not None}

    def _changed_body(self, row: SheetRow, current: Record) -> Record:
        return {
            column.key: to_request_value(column, row.cells[index])
            for index, column in self._attributes
            if not is_unchanged(column, row.cells[index], current[column.key])
        }

    def _add_duplicates(self, rows: Sequence[ChildRow]) -> None:
        """Add an error to each row of a child with several rows, and to a new child that equals an earlier one."""
        counts = Counter(row.change.stored.id for row in rows if row.change.stored)
        first: dict[tuple[object, ...], int] = {}
        for child_row in rows:
            stored, number = child_row.change.stored, child_row.row.number
            if stored is None:
                earlier = first.setdefault(child_row.key, number)
                if earlier != number:
                    cell = self._errors.cell_name(earlier, "name")
                    self._errors.add_row_errors(number, Errors.single("name", SAME_AS_CELL, cell=cell))
            elif counts[stored.id] > 1:
                self._errors.add_row_errors(number, Errors.single(ID, DUPLICATE_CHILD_ROW, id=stored.id))

    @property
    def _attributes(self) -> list[tuple[int, Column]]:
        return [item for key, item in self._columns.items() if key not in (ID, EMPLOYEE_NUMBER)]


def _name_key(values: Mapping[str, object]) -> tuple[str, str]:
    """Return the name without regard to case and spaces, and the birthdate."""
    return " ".join(str(values.get("name", "")).casefold().split()), str(values.get("birthdate", ""))
