"""Export the employees of a client and their children as a workbook."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
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
from gaji.imports.employees.layout import load_layout
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


async def export_employees(tenant: Tenant, client_id: int, calculations: Sequence[str] = ()) -> IO[bytes]:
    """Return the employees and their children as a workbook. `calculations` are types that get columns too."""
    async with _export_slots(), tenant.snapshot() as tx:
        await require_client(tx, client_id)
        catalogue = await load_catalogue(tx, client_id)
        _require_known(catalogue, calculations)
        file = new_temporary_file()
        try:
            await _write_workbook(tx, client_id, catalogue, calculations, file)
        except BaseException:
            file.close()
            raise
    return file


def nested_record(employee_id: int, record: Record, recurring: RecurringInputs) -> dict[str, Any]:
    """Return an employee as a nested record that the paths of columns lead through."""
    return {**record, ID: employee_id, CALCULATION_PREFIX: recurring}


async def _write_workbook(
    tx: Transaction, client_id: int, catalogue: Catalogue, calculations: Sequence[str], file: IO[bytes]
) -> None:
    layout = await load_layout(tx, client_id, catalogue, calculations)
    workbook = await asyncio.to_thread(EmployeeWorkbook, file, layout)
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
        await asyncio.to_thread(_write_batch, workbook, employees, children, tx.caller.hide_identifiers)
    await asyncio.to_thread(workbook.finish)


def _child_record(child: StoredChild, employees: Mapping[int, Record]) -> dict[str, Any]:
    return {**child.record, ID: child.id, EMPLOYEE_NUMBER: employees[child.employee_id][NUMBER]}


def _write_batch(
    workbook: EmployeeWorkbook,
    employees: Sequence[Mapping[str, Any]],
    children: Sequence[Mapping[str, Any]],
    hide_identifiers: bool,
) -> None:
    for sheet, records in ((workbook.employees, employees), (workbook.children, children)):
        sheet.write(_row(sheet.columns, record, hide_identifiers) for record in records)


def _row(columns: Sequence[Column], record: Mapping[str, Any], hide_identifiers: bool) -> list[Cell]:
    return [to_cell(column, value_at(record, column), hide_identifiers=hide_identifiers) for column in columns]


def _require_known(catalogue: Catalogue, names: Sequence[str]) -> None:
    for name in names:
        errors = Errors()
        if find_enterable_type(catalogue, name, "calculations", errors) is None:
            raise ValidationError(errors)


@cache
def _export_slots() -> asyncio.Semaphore:
    return asyncio.Semaphore(MAX_CONCURRENT_EXPORTS)
