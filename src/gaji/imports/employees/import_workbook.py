"""Import a workbook: validate every row, and save all of them if there are no errors."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import asyncpg

from gaji.core.errors import Errors, FieldError, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.apply_changes import ExistingChanges, save_changes, validate_changes
from gaji.imports.employees.cell_errors import SAME_AS_CELL, CellErrors, raise_if_any
from gaji.imports.employees.columns import NUMBER
from gaji.imports.employees.diff import RowChange, RowDiffer
from gaji.imports.employees.export import nested_record
from gaji.imports.employees.header import read_employee_header
from gaji.imports.employees.import_children import ChildImport
from gaji.imports.employees.import_take_on import load_take_on_import
from gaji.imports.employees.layout import load_known_columns
from gaji.imports.employees.match_rows import match_rows
from gaji.imports.employees.result import ImportedEmployee, ImportResult
from gaji.imports.employees.sheet_formats import WorkbookContent
from gaji.imports.employees.xlsx_reader import SheetRow
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import new_hires
from gaji.payroll.calculations.bulk_changes import CalculationChanges
from gaji.payroll.calculations.queries import load_recurring_inputs
from gaji.payroll.payslips.recalculation import create_next_drafts, recalculate_employees
from gaji.people.employees import bulk_create
from gaji.people.employees.access import lock_employees
from gaji.people.employees.bulk_create import REPEATED_IN_REQUEST, CreatedEmployee
from gaji.people.employees.queries import load_employee_numbers, load_employee_records
from gaji.people.employees.schemas import EmployeeInput

BATCH_SIZE = 1000
"""Employees that are compared with their rows at a time."""
MAX_CALCULATED = 200
"""Up to this number of employees, drafts are calculated before the response. Otherwise a task calculates them."""
SAVEPOINT = "import"

ProgressCallback = Callable[[str, int, int], Awaitable[None]]
"""Called with the current step, the number of rows and the number of rows that are done."""


async def ignore_progress(step: str, rows: int, done: int) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class NewEmployees:
    """The validated rows of new employees."""

    rows: Sequence[RowChange] = ()
    employees: Sequence[EmployeeInput] = ()
    calculations: Sequence[CalculationChanges] = field(default_factory=list)


async def import_workbook(
    tx: Transaction,
    client_id: int,
    workbook: WorkbookContent,
    *,
    dry_run: bool,
    on_progress: ProgressCallback = ignore_progress,
) -> ImportResult:
    """Import a workbook. A dry run reports the same errors and saves nothing."""
    await tx.savepoint(SAVEPOINT)
    try:
        result = await _apply(tx, client_id, workbook, dry_run=dry_run, on_progress=on_progress)
    except (asyncpg.UniqueViolationError, asyncpg.ForeignKeyViolationError):
        # A concurrent transaction took a number or deleted a wave. A second attempt reports the cell.
        await tx.roll_back_to(SAVEPOINT)
        result = await _apply(tx, client_id, workbook, dry_run=dry_run, on_progress=on_progress)
    if dry_run:
        await tx.roll_back_to(SAVEPOINT)
    await tx.execute(f"RELEASE SAVEPOINT {SAVEPOINT}")
    return result


async def _apply(
    tx: Transaction, client_id: int, workbook: WorkbookContent, *, dry_run: bool, on_progress: ProgressCallback
) -> ImportResult:
    """Validate and save all rows. Raises ValidationError with every error by cell."""
    catalogue = await load_catalogue(tx, client_id)
    known = await load_known_columns(tx, client_id, catalogue)
    sheet, children = workbook.employees, ChildImport(tx, client_id, workbook.children)
    take_on = await load_take_on_import(tx, client_id, workbook.take_on)
    errors = CellErrors(sheet, {key: column.caption for key, column in known.items()})
    header = read_employee_header(sheet, known, catalogue, errors)
    matched = await match_rows(tx, client_id, sheet, header, errors)
    differ = RowDiffer(header, known)
    count = workbook.row_count
    await on_progress("checking", count, 0)
    changed_rows = await _diff_existing(
        tx, client_id, differ, matched.existing, lambda done: on_progress("checking", count, done)
    )
    for row in changed_rows:
        errors.add_row_errors(row.row, row.cell_errors)
    related_ids = {*await children.compare(matched.id_by_number), *await take_on.compare(matched.id_by_number)}
    await lock_employees(tx, client_id, sorted({row.employee_id or 0 for row in changed_rows} | related_ids))
    changes = await validate_changes(tx, client_id, catalogue, changed_rows, errors)
    new = await _validate_new(tx, client_id, catalogue, differ, matched.new, errors)
    await children.validate(matched.id_by_number)
    await take_on.validate(matched.id_by_number)
    raise_if_any(errors, children.errors, take_on.errors)
    await on_progress("saving", count, count)
    affected_ids = await save_changes(tx, client_id, catalogue, changes)
    created = await _save_new(tx, client_id, catalogue, new, errors)
    new_ids = {row.attributes.get(NUMBER): employee.id for row, employee in zip(new.rows, created, strict=True)}
    saved_children, saved_balances = await children.save(new_ids), await take_on.save(new_ids)
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, tuple(sorted(related_ids))))
    if not dry_run:
        affected_ids = sorted({*affected_ids, *related_ids, *(employee.id for employee in created)})
        recalculate = recalculate_employees if len(affected_ids) <= MAX_CALCULATED else create_next_drafts
        await recalculate(tx, client_id, affected_ids)
    return ImportResult(
        dry_run=dry_run,
        created=[
            ImportedEmployee(row.row, employee.id, employee.number)
            for row, employee in zip(new.rows, created, strict=True)
        ],
        updated=await _updated_employees(tx, client_id, changes),
        unchanged=len(matched.existing) - len(changed_rows),
        children=saved_children,
        take_on=saved_balances,
        approval_ids=sorted(changes.approval_ids),
    )


async def _diff_existing(
    tx: Transaction,
    client_id: int,
    differ: RowDiffer,
    rows: Sequence[tuple[SheetRow, int]],
    on_progress: Callable[[int], Awaitable[None]],
) -> list[RowChange]:
    """Return the rows of existing employees that change something."""
    changes: list[RowChange] = []
    for start in range(0, len(rows), BATCH_SIZE):
        batch = rows[start : start + BATCH_SIZE]
        employee_ids = [employee_id for _, employee_id in batch]
        records = await load_employee_records(tx, client_id, employee_ids)
        recurring = await load_recurring_inputs(tx, client_id, employee_ids)
        employees = {
            employee_id: nested_record(employee_id, records[employee_id], recurring[employee_id])
            for employee_id in employee_ids
            if employee_id in records
        }
        changes += await asyncio.to_thread(_diff_batch, differ, batch, employees)
        await on_progress(start + len(batch))
    return changes


def _diff_batch(
    differ: RowDiffer, rows: Sequence[tuple[SheetRow, int]], employees: Mapping[int, Mapping[str, object]]
) -> list[RowChange]:
    changes = (
        differ.diff_existing(row, employee_id, employees[employee_id])
        for row, employee_id in rows
        if employee_id in employees
    )
    return [change for change in changes if not change.is_empty]


async def _validate_new(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    differ: RowDiffer,
    sheet_rows: Sequence[SheetRow],
    errors: CellErrors,
) -> NewEmployees:
    """Validate the rows of new employees."""
    if not sheet_rows:
        return NewEmployees()
    rows = await asyncio.to_thread(lambda: [differ.diff_new(row) for row in sheet_rows])
    parsed = await bulk_create.parse_new_employees(tx, client_id, [row.attributes for row in rows])
    for row in rows:
        errors.add_row_errors(row.row, row.cell_errors)
    _add_new_errors(rows, parsed.errors, errors)
    validator = await new_hires.load_validator(tx, client_id, catalogue)
    calculations = await asyncio.to_thread(
        lambda: [
            validator.validate(row.inputs, record["work_pass"])
            for row, record in zip(rows, parsed.records, strict=True)
        ]
    )
    for row, changes in zip(rows, calculations, strict=True):
        errors.add_row_errors(row.row, changes.errors)
    return NewEmployees(rows, list(parsed.employees.values()), calculations)


async def _save_new(
    tx: Transaction, client_id: int, catalogue: Catalogue, new: NewEmployees, errors: CellErrors
) -> list[CreatedEmployee]:
    if not new.rows:
        return []
    try:
        created = await bulk_create.insert_employees(tx, client_id, new.employees)
    except ValidationError as error:
        _add_new_errors(new.rows, error.errors, errors)
        raise_if_any(errors)
        raise
    employee_ids = [employee.id for employee in created]
    await new_hires.save_new_hires(tx, client_id, catalogue, list(zip(employee_ids, new.calculations, strict=True)))
    return created


def _add_new_errors(rows: Sequence[RowChange], new_errors: Errors, errors: CellErrors) -> None:
    """Add errors with paths such as `<index>.<attribute>` to the cells of their rows."""
    for path, error in new_errors.items():
        index, _, attribute = path.partition(".")
        row = rows[int(index)]
        if attribute in row.cell_errors:
            continue
        cell_error = FieldError(attribute, error.kind, error.params)
        if error.kind is REPEATED_IN_REQUEST:
            earlier = rows[error.params["index"]]
            cell = errors.cell_name(earlier.row, error.params["attribute"])
            cell_error = FieldError(attribute, SAME_AS_CELL, {"cell": cell})
        errors.add_row_errors(row.row, Errors({attribute: cell_error}))


async def _updated_employees(tx: Transaction, client_id: int, changes: ExistingChanges) -> list[ImportedEmployee]:
    numbers = await load_employee_numbers(tx, client_id, [row.employee_id or 0 for row in changes.rows])
    return [ImportedEmployee(row.row, row.employee_id or 0, numbers[row.employee_id or 0]) for row in changes.rows]
