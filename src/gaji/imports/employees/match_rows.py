"""Match rows to employees, by ID or by number. Other rows are new employees."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import parse_integer
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.imports.employees.cell_errors import CellErrors
from gaji.imports.employees.cells import to_request_value
from gaji.imports.employees.columns import ID, NUMBER, Column
from gaji.imports.employees.header import SheetHeader
from gaji.imports.employees.xlsx_reader import SheetContent, SheetRow
from gaji.payroll.bulk_input.entities import NOT_AN_EMPLOYEE_ID
from gaji.people.employees.queries import list_employee_ids, load_employee_numbers

DUPLICATE_ROW = ErrorCode("duplicate_employee_row", "employee {id} appears in more than one row; keep only one")


@dataclass(frozen=True)
class MatchedRows:
    """The rows of a sheet that could be matched."""

    existing: Sequence[tuple[SheetRow, int]]
    """Rows with the ID of their employee."""
    new: Sequence[SheetRow]
    id_by_number: Mapping[str, int | None]
    """The employees by their numbers, with the changes of the sheet. None for a new employee."""


async def match_rows(
    tx: Transaction, client_id: int, sheet: SheetContent, header: SheetHeader, errors: CellErrors
) -> MatchedRows:
    """Match the rows of a sheet. An unknown ID, or a second row for an employee, is an error."""
    employee_ids = await list_employee_ids(tx, client_id)
    numbers = await load_employee_numbers(tx, client_id, employee_ids)
    return await run_in_thread_if_many(len(sheet.rows), lambda: _match(sheet, header, numbers, errors))


def _match(sheet: SheetContent, header: SheetHeader, numbers: Mapping[int, str], errors: CellErrors) -> MatchedRows:
    id_by_number = {number: employee_id for employee_id, number in numbers.items()}
    changed_numbers: dict[str, int | None] = {}
    columns = {column.key: (index, column) for index, column in header.columns if column.key in (ID, NUMBER)}
    existing: list[tuple[SheetRow, int]] = []
    new: list[SheetRow] = []
    for row in sheet.rows:
        id_value, number = row_value(row, columns, ID), row_value(row, columns, NUMBER)
        employee_id = parse_integer(id_value) if id_value is not None else id_by_number.get(str(number or ""))
        if number is not None:
            changed_numbers[str(number)] = employee_id
        if id_value is not None and employee_id not in numbers:
            errors.add_row_errors(row.number, _id_error(employee_id))
        elif employee_id is not None:
            existing.append((row, employee_id))
        else:
            new.append(row)
    return MatchedRows(_without_duplicates(existing, errors), new, {**id_by_number, **changed_numbers})


def row_value(row: SheetRow, columns: Mapping[str, tuple[int, Column]], key: str) -> object:
    """Return the value of a column in a row, or None if there is no such column."""
    if key not in columns:
        return None
    index, column = columns[key]
    return to_request_value(column, row.cells[index])


def _without_duplicates(existing: Sequence[tuple[SheetRow, int]], errors: CellErrors) -> list[tuple[SheetRow, int]]:
    """Return the rows of employees with one row. Each row of an employee with several gets an error."""
    counts = Counter(employee_id for _, employee_id in existing)
    for row, employee_id in existing:
        if counts[employee_id] > 1:
            errors.add_row_errors(row.number, Errors.single(ID, DUPLICATE_ROW, id=employee_id))
    return [(row, employee_id) for row, employee_id in existing if counts[employee_id] == 1]


def _id_error(employee_id: int | None) -> Errors:
    if employee_id is None:
        return Errors.single(ID, NOT_AN_EMPLOYEE_ID)
    return Errors.single(ID, UNKNOWN_ID, resource="employee", id=employee_id)
