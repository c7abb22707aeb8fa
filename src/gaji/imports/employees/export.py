"""Export the employees of a client with their children, or their opening balances, as a workbook."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from typing import IO, Any

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import Errors, ValidationError
from gaji.core.temporary_files import new_temporary_file
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.cells import to_cell, value_at
from gaji.imports.employees.columns import EMPLOYEE_NUMBER, ID, NUMBER, Column
from gaji.imports.employees.file_values import Cell
from gaji.imports.employees.layout import WorkbookLayout, load_layout, load_take_on_layout
from gaji.imports.employees.take_on_columns import NAME, YEAR, ZERO
from gaji.imports.employees.xlsx_writer import SheetWriter, WorkbookWriter
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations.queries import RecurringInputs, load_recurring_inputs
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.people.children.queries import StoredChild, load_children
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.display_name import EmployeeLabel
from gaji.people.employees.queries import list_employee_ids, load_employee_records
from gaji.people.service_periods.queries import list_employees_in_service
from gaji.people.take_on.queries import load_take_on_records

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
        layout = await load_layout(tx, client_id, catalogue, calculations)
        return await _write_file(lambda file: _write_workbook(tx, client_id, layout, file, words=words))


async def export_take_on(tenant: Tenant, client_id: int) -> IO[bytes]:
    """Return the opening balances as a workbook, with a row for everyone in service this year."""
    async with _export_slots(), tenant.snapshot() as tx:
        await require_client(tx, client_id)
        layout = await load_take_on_layout(tx, client_id)
        return await _write_file(lambda file: _write_take_on(tx, client_id, layout, file))


async def _write_file(write: Callable[[IO[bytes]], Awaitable[None]]) -> IO[bytes]:
    """Return a new file with what is written to it."""
    file = new_temporary_file()
    try:
        await write(file)
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
    workbook = await asyncio.to_thread(WorkbookWriter, file, layout, words=words)
    employee_sheet, child_sheet = workbook.sheets
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
        await asyncio.to_thread(_write_rows, employee_sheet, employees, to_text)
        await asyncio.to_thread(_write_rows, child_sheet, children, to_text)
    await asyncio.to_thread(workbook.finish)


async def _write_take_on(tx: Transaction, client_id: int, layout: WorkbookLayout, file: IO[bytes]) -> None:
    workbook = await asyncio.to_thread(WorkbookWriter, file, layout)
    [sheet] = workbook.sheets
    today = clock.today()
    employee_ids = await list_employees_in_service(tx, client_id, date(today.year, 1, 1), date(today.year, 12, 31))
    for start in range(0, len(employee_ids), BATCH_SIZE):
        batch = employee_ids[start : start + BATCH_SIZE]
        labels = await load_employee_labels(tx, client_id, batch)
        stored = await load_take_on_records(tx, client_id, batch)
        records = [_take_on_record(labels[employee_id], stored.get(employee_id, {})) for employee_id in batch]
        await asyncio.to_thread(_write_rows, sheet, records, _balance_cell)
    await asyncio.to_thread(workbook.finish)


def _take_on_record(label: EmployeeLabel, stored: Mapping[str, Any]) -> dict[str, Any]:
    return {YEAR: clock.today().year, **stored, EMPLOYEE_NUMBER: label.number, NAME: label.name}


def _balance_cell(column: Column, value: Any) -> Cell:
    """Return the cell of a value. Zero is left blank."""
    return None if value == ZERO else to_cell(column, value)


def _child_record(child: StoredChild, employees: Mapping[int, Record]) -> dict[str, Any]:
    return {**child.record, ID: child.id, EMPLOYEE_NUMBER: employees[child.employee_id][NUMBER]}


def _write_rows(
    sheet: SheetWriter, records: Sequence[Mapping[str, Any]], to_text: Callable[[Column, Any], Cell]
) -> None:
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
