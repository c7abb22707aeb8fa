"""Exporting the employees of a client as a workbook."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import IO, Any

from gaji.company.clients.service import require_client
from gaji.core.errors import ValidationError
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.columns import ID, Column
from gaji.imports.employees.layout import layout
from gaji.imports.employees.cells import Cell, shown, value_at
from gaji.imports.employees.xlsx_writer import EmployeeWorkbook
from gaji.payroll.calculation_definitions.queries import load_catalogue as catalogue_of
from gaji.payroll.calculations.queries import RecurringInputs, load_recurring_inputs
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.people.employees.facts import everyone
from gaji.people.employees.whole import whole
from gaji.tabular import new_file

CHUNK = 500
"""Employees that are held at a time."""
AT_ONCE = 2
"""Workbooks that a server process writes at a time; others wait for their turn."""


async def export_employees(tenant: Tenant, client_id: int, calculations: Sequence[str] = ()) -> IO[bytes]:
    """The employees of a client in a workbook; `calculations` names those that are to have columns too."""
    async with _turns(), tenant.snapshot() as tx:
        await require_client(tx, client_id)
        catalogue = await catalogue_of(tx, client_id)
        _check_known(catalogue, calculations)
        file = new_file()
        try:
            await _write(tx, client_id, catalogue, calculations, file)
        except BaseException:
            file.close()
            raise
    return file


async def _write(
    tx: Transaction, client_id: int, catalogue: Catalogue, calculations: Sequence[str], file: IO[bytes]
) -> None:
    columns = await layout(tx, client_id, catalogue, calculations)
    workbook = await asyncio.to_thread(EmployeeWorkbook, file, columns)
    hide = tx.caller.hide_identifiers
    for ids in in_chunks(await everyone(tx, client_id), CHUNK):
        records = await whole(tx, client_id, ids)
        entered = await load_recurring_inputs(tx, client_id, ids)
        people = [nested(one, records[one], entered[one]) for one in ids if one in records]
        await asyncio.to_thread(_write_some, workbook, columns.columns, people, hide)
    await asyncio.to_thread(workbook.end)


def in_chunks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The ids in pieces of this size."""
    return (ids[start : start + size] for start in range(0, len(ids), size))


def nested(employee_id: int, record: Record, entered: RecurringInputs) -> dict[str, Any]:
    """An employee as the keys of columns lead through them."""
    return {**record, ID: employee_id, "calc": entered.inputs}


def _write_some(
    workbook: EmployeeWorkbook, columns: Sequence[Column], people: Sequence[Mapping[str, Any]], hide: bool
) -> None:
    workbook.write(_row(columns, one, hide) for one in people)


def _row(columns: Sequence[Column], one: Mapping[str, Any], hide: bool) -> list[Cell]:
    return [shown(column, value_at(one, column), hide=hide) for column in columns]


def _check_known(catalogue: Catalogue, names: Sequence[str]) -> None:
    for name in names:
        faults: dict[str, str] = {}
        if find_enterable_type(catalogue, name, "calculations", faults) is None:
            raise ValidationError(faults)


@cache
def _turns() -> asyncio.Semaphore:
    return asyncio.Semaphore(AT_ONCE)
