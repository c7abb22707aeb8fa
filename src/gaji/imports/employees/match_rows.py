"""Whose a row is: an employee of the client by ID or by number, or somebody new."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.core.validation import parse_integer
from gaji.db.tenancy import Transaction
from gaji.imports.employees.columns import ID, NUMBER, Column
from gaji.imports.employees.cell_errors import CellFaults
from gaji.imports.employees.header import Heading
from gaji.imports.employees.xlsx_reader import Row, Sheet
from gaji.imports.employees.cells import entered
from gaji.people.employees import facts as employees


@dataclass(frozen=True)
class Rows:
    """The rows of a sheet, as far as it is clear whose each is."""

    known: Sequence[tuple[Row, int]]
    """Each with its employee."""
    new: Sequence[Row]


async def rows_of(tx: Transaction, client_id: int, sheet: Sheet, heading: Heading, faults: CellFaults) -> Rows:
    """The rows of a sheet; one that names nobody, or somebody twice, is a fault of the cell that says so."""
    ids = await employees.everyone(tx, client_id)
    numbers = await employees.numbers(tx, client_id, ids)
    by_number: dict[object, int] = {number: employee_id for employee_id, number in numbers.items()}
    columns = {column.key: (place, column) for place, column in heading.columns if column.key in (ID, NUMBER)}
    known: list[tuple[Row, int]] = []
    new: list[Row] = []
    for row in sheet.rows:
        given, number = _said(row, columns, ID), _said(row, columns, NUMBER)
        employee_id = parse_integer(given) if given is not None else by_number.get(number or "")
        if given is not None and employee_id not in numbers:
            fault = "must be the ID of an employee" if employee_id is None else _nobody(employee_id)
            faults.add_all(row.number, {ID: fault})
        elif employee_id is not None:
            known.append((row, employee_id))
        else:
            new.append(row)
    return Rows(_once(known, faults), new)


def _said(row: Row, columns: Mapping[str, tuple[int, Column]], key: str) -> object:
    if key not in columns:
        return None
    place, column = columns[key]
    return entered(column, row.cells[place])


def _once(known: Sequence[tuple[Row, int]], faults: CellFaults) -> list[tuple[Row, int]]:
    """The rows of employees that have one; who has several, has a fault in each."""
    counts = Counter(employee_id for _, employee_id in known)
    for row, employee_id in known:
        if counts[employee_id] > 1:
            faults.add_all(row.number, {ID: f"employee {employee_id} is there more than once; leave one row"})
    return [(row, employee_id) for row, employee_id in known if counts[employee_id] == 1]


def _nobody(employee_id: int) -> str:
    return f"there is no employee {employee_id} in this client"
