"""Changing the employees that rows are about: those that can be changed together in a handful of queries."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.columns import ID
from gaji.imports.employees.cell_errors import CellFaults
from gaji.imports.employees.diff import Plan
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.payroll.calculations import bulk_changes as calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.people.employees import bulk_changes as employees
from gaji.people.employees import service as employee_service
from gaji.people.employees.bulk_changes import Change
from gaji.people.employees.names import held

CHUNK = 250
"""Employees whose inputs are read before others are served."""
BY_DATE = "the regular hours of this employee change by date; change them for the employee, with an effective_date"


@dataclass(frozen=True)
class Changes:
    """What the rows of employees ask for, as far as it was read."""

    plans: Sequence[Plan]
    together: Mapping[int, Change]
    """By employee, what is changed together with others."""
    written: Mapping[int, CalculationChanges]
    """By employee, what is entered."""

    @property
    def alone(self) -> list[Plan]:
        """The plans whose attributes concern the periods of an employee."""
        return [plan for plan in self.plans if plan.attributes and not employees.is_simple(plan.attributes)]


async def read_changes(
    tx: Transaction,
    client_id: int,
    catalogue: Catalogue,
    plans: Sequence[Plan],
    dated: Set[int],
    faults: CellFaults,
) -> Changes:
    """What is asked of employees, who stay as they are for others; `dated` have hours that change by date.

    What concerns the periods of an employee is saved as it is read: with a fault, all of it is undone.
    """
    if not plans:
        return Changes([], {}, {})
    await held(tx, client_id, sorted(plan.employee_id or 0 for plan in plans))
    rows = {plan.employee_id or 0: plan.row for plan in plans}
    written = await _read_inputs(tx, client_id, catalogue, [plan for plan in plans if plan.inputs])
    for employee_id, one in written.items():
        faults.add_all(rows[employee_id], one.faults)
        if one.hours is not None:
            faults.add_all(rows[employee_id], await _change_hours(tx, client_id, employee_id, one.hours, dated))
    simple = {
        plan.employee_id or 0: plan.attributes
        for plan in plans
        if plan.attributes and employees.is_simple(plan.attributes)
    }
    together, wrong = await employees.read_changes(tx, client_id, simple)
    for employee_id, told in wrong.items():
        faults.add_all(rows[employee_id], told)
    changes = Changes(plans, together, written)
    for plan in changes.alone:
        faults.add_all(plan.row, await _change_alone(tx, plan))
    return changes


async def save_changes(tx: Transaction, client_id: int, catalogue: Catalogue, changes: Changes) -> list[int]:
    """Save what was read without faults; gives the employees whose payslips that concerns."""
    await employees.save_changes(tx, client_id, changes.together)
    await calculations.save_changes(tx, catalogue, list(changes.written.values()))
    of_pay = {one for one, change in changes.together.items() if change.of_pay}
    return sorted(of_pay | changes.written.keys() | {plan.employee_id or 0 for plan in changes.alone})


async def _read_inputs(
    tx: Transaction, client_id: int, catalogue: Catalogue, plans: Sequence[Plan]
) -> dict[int, CalculationChanges]:
    found: list[CalculationChanges] = []
    for start in range(0, len(plans), CHUNK):
        some = plans[start : start + CHUNK]
        asked = [(CalculationOwner(client_id, employee_id=plan.employee_id), plan.inputs) for plan in some]
        found += await calculations.validate_changes(tx, catalogue, asked)
    return {plan.employee_id or 0: one for plan, one in zip(plans, found, strict=True)}


async def _change_hours(
    tx: Transaction, client_id: int, employee_id: int, hours: Mapping[str, Any], dated: Set[int]
) -> Errors:
    if employee_id in dated:
        return {f"{CALCULATION_PREFIX}.{WEEK_HOURS}.{name}": BY_DATE for name in hours}
    return await calculations.save_regular_hours(tx, CalculationOwner(client_id, employee_id=employee_id), hours)


async def _change_alone(tx: Transaction, plan: Plan) -> Errors:
    """Change an employee; what is refused is told, and undone with everything else."""
    try:
        await employee_service.change(tx, plan.employee_id or 0, plan.attributes)
    except ValidationError as error:
        return error.errors
    except Conflict as error:
        return {ID: error.message}
    return {}
