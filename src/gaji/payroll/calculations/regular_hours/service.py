"""Inherited calculation use cases: the regular hours of an employee, which change on effective dates."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.company.clients.queries import load_client_features
from gaji.core import clock
from gaji.core.errors import ErrorCode, Errors, NotFound
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import MAX_NAME_LENGTH, Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.effective_dates import EFFECTIVE_DATE_REQUIRED, require_open_effective_date
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationOwner,
    InputChanges,
    effective_inputs,
    inputs_json,
    merge_inputs,
)
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.levels import load_chains
from gaji.payroll.calculations.regular_hours import repository
from gaji.payroll.calculations.regular_hours.history import (
    History,
    change_since,
    changes_by_date,
    correct,
    inputs_on,
)
from gaji.payroll.calculations.regular_hours.repository import InheritedCalculation
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS, complete_week
from gaji.payroll.calculations.schemas import INHERITED, SavedCalculation
from gaji.payroll.payslips import recalculation
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.self_service.access import client_view
from gaji.periods.queries import find_last_finalised_end_of_employee

NOT_INHERITED = ErrorCode("not_inherited", "{name} is not an inherited calculation; the only one is week_hours")
NOT_INHERITED_HERE = ErrorCode(
    "not_inherited_here", "is an ordinary calculation, because the client does not have the feature regular_hours_v2"
)


async def list_inherited(tenant: Tenant, employee_id: int) -> list[Record]:
    """Return the inherited calculations of an employee. Empty if the client does not have the feature."""
    async with tenant.transaction() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await _load_elements(tx, client_id, employee_id)


async def read_inherited(tenant: Tenant, inherited_id: int) -> Record:
    """Return an inherited calculation."""
    async with tenant.transaction() as tx:
        owner = await repository.find_employee(tx, inherited_id)
        elements = await _load_elements(tx, *owner) if owner else []
    if not elements:
        raise NotFound(f"Inherited calculation {inherited_id} does not exist")
    return elements[0]


async def update_inherited(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    """Update an inherited calculation of an employee, optionally from an effective date."""
    async with tenant.transaction() as tx:
        return await save_inherited(tx, employee_id, body, late=late)


async def save_inherited(
    tx: Transaction, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    """Update an inherited calculation in the caller's transaction."""
    client_id = await lock_employee(tx, employee_id)
    features = await load_client_features(tx, client_id)
    last_end = await find_last_finalised_end_of_employee(tx, client_id, employee_id)
    current = await repository.load_regular_hours(tx, client_id, employee_id)
    history: History = current.history if current else {}
    inherited = effective_inputs(await _load_levels_above(tx, client_id, employee_id))
    changes: InputChanges = {}

    def check(record: Record, errors: Errors) -> None:
        _check_type(record["calc_type"], features, errors)
        if last_end and record["effective_date"] is None:
            errors.add_if_absent("effective_date", EFFECTIVE_DATE_REQUIRED, last_end=last_end)
        if record["calculation_details"] is not None and "calc_type" not in errors:
            field_path = FieldPath("employee")
            details = record["calculation_details"]
            changes.update(input_parsing.parse_inputs(SYSTEM_TYPES[WEEK_HOURS], field_path, details, errors))
            day = record["effective_date"] or clock.today()
            inputs = input_parsing.apply_changes(inputs_on(history, day.isoformat()), changes)
            input_parsing.check_regular_hours(inputs, inherited, changes, features, field_path, errors)

    validated = INHERITED.parse_create(body, check)
    effective_date = validated.data.effective_date
    validated.warnings.update(require_open_effective_date(effective_date, last_end, late=late))
    if current is None:
        raise NotFound(f"Employee {employee_id} does not exist")
    if effective_date:
        changed = change_since(history, effective_date, changes)
    else:
        changed = correct(history, clock.today(), changes)
    await repository.save(tx, client_id, current.id, changed)
    await recalculation.recalculate_employee(tx, client_id, employee_id)
    tx.emit(ResourceEvent(EventType.CALCULATION_CHANGED, client_id, (current.id,)))
    message = "The calculation has been updated"
    if effective_date:
        message += f" with effect from {effective_date}"
    return SavedCalculation(current.id, message, validated.warnings)


async def _load_elements(tx: Transaction, client_id: int, employee_id: int) -> list[Record]:
    """Load the inherited calculations of an employee whom the caller may see, with the inputs of all levels."""
    async with client_view(tx, client_id):
        hours = await repository.load_regular_hours(tx, client_id, employee_id)
        levels = await _load_levels_above(tx, client_id, employee_id) if hours else []
    return [_inherited_json(hours, levels)] if hours else []


async def _load_levels_above(tx: Transaction, client_id: int, employee_id: int) -> list[Calculation]:
    """Load the regular hours that the employee would have without own ones, by level."""
    owner = CalculationOwner(client_id, employee_id=employee_id)
    chain = (await load_chains(tx, owner, clock.today())).get(WEEK_HOURS, [])
    return [calculation for calculation in chain if calculation.id is not None]


def _check_type(name: str | None, features: Mapping[str, bool], errors: Errors) -> None:
    if name is not None and name != WEEK_HOURS:
        errors.add("calc_type", NOT_INHERITED, name=repr(name[:MAX_NAME_LENGTH]))
    elif name is not None and not features["regular_hours_v2"]:
        errors.add("calc_type", NOT_INHERITED_HERE)


def _inherited_json(calculation: InheritedCalculation, levels: Sequence[Calculation]) -> Record:
    entered = inputs_on(calculation.history, clock.today().isoformat())
    profile_ids = [level.owner.profile_id for level in levels if level.owner.profile_id is not None]
    return {
        "id": calculation.id,
        "profile_id": profile_ids[-1] if profile_ids else None,
        "employee_id": calculation.employee_id,
        "short_name": calculation.short_name,
        "calculation_def_id": None,
        "created_at": calculation.created_at,
        "updated_at": calculation.updated_at,
        "inputs": inputs_json(complete_week(merge_inputs(effective_inputs(levels), entered))),
        "inputs_history": {day: inputs_json(changes) for day, changes in changes_by_date(calculation.history).items()},
    }
