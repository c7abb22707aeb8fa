"""Validate and save the changes of existing employees, as many as possible together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.cell_errors import CellErrors
from gaji.imports.employees.diff import RowChange
from gaji.payroll.calculations import bulk_changes as bulk_calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges, InputRequest
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.people.employees import bulk_update
from gaji.people.employees.bulk_update import EmployeeChange
from gaji.people.employees.service import apply_update

BATCH_SIZE = 250
"""Employees whose inputs are validated together. Between batches, other requests are served."""


@dataclass(frozen=True)
class ExistingChanges:
    """The validated changes of existing employees."""

    rows: Sequence[RowChange]
    employees: Mapping[int, EmployeeChange]
    """The attributes that are saved in bulk, by employee."""
    calculations: Mapping[int, CalculationChanges]
    """The calculations to save, by employee."""

    approval_ids: list[int]
    """The pending approvals of new bank accounts, which are not saved yet."""

    @property
    def single_updates(self) -> list[RowChange]:
        """The rows whose attributes cannot be saved in bulk, because they affect periods."""
        return [row for row in self.rows if row.attributes and not bulk_update.can_update_in_bulk(row.attributes)]


async def validate_changes(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    rows: Sequence[RowChange],
    errors: CellErrors,
) -> ExistingChanges:
    """Validate the changes of employees, who must be locked.

    Changes that affect periods, and regular hours, are saved here. If there are errors, the caller rolls them back.
    """
    if not rows:
        return ExistingChanges([], {}, {}, [])
    row_numbers = {row.employee_id or 0: row.row for row in rows}
    calculations = await _validate_inputs(tx, client_id, catalogue, [row for row in rows if row.inputs])
    for employee_id, changes in calculations.items():
        errors.add_row_errors(row_numbers[employee_id], changes.errors)
        if changes.regular_hours is not None:
            owner = CalculationOwner(client_id, employee_id=employee_id)
            hours_errors = await bulk_calculations.save_regular_hours(tx, owner, changes.regular_hours)
            errors.add_row_errors(row_numbers[employee_id], hours_errors)
    bodies = {
        row.employee_id or 0: row.attributes
        for row in rows
        if row.attributes and bulk_update.can_update_in_bulk(row.attributes)
    }
    employees, employee_errors = await bulk_update.validate_changes(tx, client_id, bodies)
    for employee_id, attribute_errors in employee_errors.items():
        errors.add_row_errors(row_numbers[employee_id], attribute_errors)
    existing = ExistingChanges(rows, employees, calculations, [])
    for row in existing.single_updates:
        errors.add_row_errors(row.row, await _update_single(tx, row, existing.approval_ids))
    return existing


async def save_changes(tx: Transaction, client_id: int, catalogue: Catalogue, changes: ExistingChanges) -> list[int]:
    """Save validated changes and return the employees whose payslips are affected."""
    held_changes = await bulk_update.save_changes(tx, client_id, changes.employees)
    changes.approval_ids.extend(change.approval.id for change in held_changes.values())
    await bulk_calculations.save_changes(tx, catalogue, list(changes.calculations.values()))
    affected = {employee_id for employee_id, change in changes.employees.items() if change.affects_pay}
    return sorted(affected | changes.calculations.keys() | {row.employee_id or 0 for row in changes.single_updates})


async def _validate_inputs(
    tx: Transaction, client_id: int, catalogue: Catalogue, rows: Sequence[RowChange]
) -> dict[int, CalculationChanges]:
    changes: list[CalculationChanges] = []
    for start in range(0, len(rows), BATCH_SIZE):
        batch = rows[start : start + BATCH_SIZE]
        requests = [InputRequest(CalculationOwner(client_id, employee_id=row.employee_id), row.inputs) for row in batch]
        changes += await bulk_calculations.validate_changes(tx, catalogue, requests)
    return {row.employee_id or 0: change for row, change in zip(rows, changes, strict=True)}


async def _update_single(tx: Transaction, row: RowChange, approval_ids: list[int]) -> Errors:
    """Update an employee and return the errors, if any. Adds the approval of a new bank account."""
    try:
        _, approval = await apply_update(tx, row.employee_id or 0, row.attributes)
    except (ValidationError, Conflict) as error:
        if not error.errors:
            raise
        return error.errors
    if approval is not None:
        approval_ids.append(approval.id)
    return Errors()
