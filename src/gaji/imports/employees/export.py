"""Export the employees of a client and their children as a workbook."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import IO, Any

from gaji.company.clients.service import require_client
from gaji.core.errors import Errors, ValidationError
from gaji.core.temporary_files import new_temporary_file
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.cells import to_cell, value_at
from gaji.imports.employees.columns import EMPLOYEE_NUMBER, ID, NUMBER, Column
from gaji.imports.employees.file_values import Cell
from gaji.imports.employees.layout import WorkbookLayout, load_layout
from gaji.imports.employees.xlsx_writer import EmployeeWorkbook
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations.queries import RecurringInputs, load_recurring_inputs
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.people.children.queries import StoredChild, load_children
from gaji.people.employees.queries import list_employee_ids, load_employee_records

BATCH_SIZE = 500
"""Employees that are loaded together."""
MAX_CONCURRENT_EXPORTS = 2
"""Workbooks that a server process writes at a time. Others wait."""


async def export_employees(
    tenant: Tenant, client_id: int, calculations: Sequence[str] = (), *, words: bool = False
) -> IO[bytes]:
    """Return the employees and their children as a workbook. `calculations` are types that get columns too.

    With words, cells and their lists have the words of the console instead of codes.
    """
    async with _export_slots(), tenant.snapshot() as tx:
        await require_client(tx, client_id)
        catalogue = await load_catalogue(tx, client_id)
        _require_known(catalogue, calculations)
        file = new_temporary_file()
        try:
            layout = await load_layout(tx, client_id, catalogue, calculations)
            await _write_workbook(tx, client_id, layout, file, words=words)
        except BaseException:
            file.close()
            raise
    return file


def nested_record(employee_id: int, record: Record, recurring: RecurringInputs) -> dict[str, Any]:
    """Return an employee as a nested record that the paths of columns lead through."""
    return {**record, ID: employee_id, CALCULATION_PREFIX: recurring}


async def _write_workbook(
    tx: Transaction, client_id: int, layout: WorkbookLayout, file: IO[bytes], *, words: bool
) -> None:
    workbook = await asyncio.to_thread(EmployeeWorkbook, file, layout, words=words)
    to_text = partial(to_cell, hide_identifiers=tx.caller.hide_identifiers, words=words)
    employee_ids = await list_employee_ids(tx, client_id)
    for start in range(0, len(employee_ids), BATCH_SIZE):
        batch = employee_ids[start : start + BATCH_SIZE]
        records = await load_employee_records(tx, client_id, batch)
        recurring = await load_recurring_inputs(tx, client_id, batch)
        employees = [
            nested_record(employee_id, records[employee_id], recurring[employee_id])
            for employee_id in batch
            if employee_id in records
        ]
        children = [_child_record(child, records) for child in await load_children(tx, client_id, batch)]
        await asyncio.to_thread(_write_batch, workbook, employees, children, to_text)
    await asyncio.to_thread(workbook.finish)


def _child_record(child: StoredChild, employees: Mapping[int, Record]) -> dict[str, Any]:
    return {**child.record, ID: child.id, EMPLOYEE_NUMBER: employees[child.employee_id][NUMBER]}


def _write_batch(
    workbook: EmployeeWorkbook,
    employees: Sequence[Mapping[str, Any]],
    children: Sequence[Mapping[str, Any]],
    to_text: Callable[[Column, Any], Cell],
) -> None:
    for sheet, records in ((workbook.employees, employees), (workbook.children, children)):
        columns = sheet.columns
        sheet.write([to_text(column, value_at(record, column)) for column in columns] for record in records)


def _require_known(catalogue: Catalogue, names: Sequence[str]) -> None:
    for name in names:
        errors = Errors()
        if find_enterable_type(catalogue, name, "calculations", errors) is None:
            raise ValidationError(errors)


@cache
def _export_slots() -> asyncio.Semaphore:
    return asyncio.Semaphore(MAX_CONCURRENT_EXPORTS)
