"""Validate and save the inputs of many calculations at once, in a handful of queries."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gaji.core import clock
from gaji.core.errors import Conflict, ErrorCode, Errors, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.effective_dates import EFFECTIVE_DATE_REQUIRED
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.input_parsing import UNKNOWN_INPUT, FieldPath
from gaji.payroll.calculations.levels import hours_are_inherited
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.regular_hours.service import save_inherited
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.validate import (
    TYPES_WITH_CONTEXT,
    ValidationContext,
    load_context,
    validate_calculation,
)
from gaji.payroll.payslips.queries import load_payslip_dates
from gaji.periods.queries import NEVER_PAID, OpenPeriod, load_open_periods

NEEDS_EFFECTIVE_DATE = ErrorCode(
    "needs_effective_date", "needs an effective_date, because the employee has a finalised payslip of {last_end}"
)

InputsByType = Mapping[str, Mapping[str, Any]]
"""The inputs to change, by type."""


@dataclass(frozen=True)
class InputRequest:
    """The inputs to change for one owner."""

    owner: CalculationOwner
    inputs: InputsByType
    valid_from: date | None = None
    """The first day of the change. None for the start of the current draft. Not for payslips."""


OWNERS_BETWEEN_PAUSES = 100
"""After so many owners, the event loop serves other requests."""


@dataclass
class CalculationChanges:
    """The changes of one owner: calculations to save, or errors."""

    calculations: list[Calculation] = field(default_factory=list)
    regular_hours: Mapping[str, Any] | None = None
    """Regular hours of an employee. They have a history and are saved with `save_regular_hours`."""
    errors: Errors = field(default_factory=Errors)
    """By `calc.<type>.<input>`."""


async def validate_changes(
    tx: Transaction, catalogue: Catalogue, requests: Sequence[InputRequest]
) -> list[CalculationChanges]:
    """Validate the inputs of each owner. All owners belong to one client."""
    if not requests:
        return []
    client_id = requests[0].owner.client_id
    has_hours = any(WEEK_HOURS in request.inputs for request in requests)
    employee_ids = {request.owner.employee_id or 0 for request in requests if request.owner.level == "employee"}
    payslip_ids = [request.owner.payslip_id for request in requests if request.owner.payslip_id is not None]
    stored = StoredCalculations(
        await repository.load_own_calculations(tx, client_id, [request.owner for request in requests]),
        await load_open_periods(tx, client_id, employee_ids) if employee_ids else {},
        await load_payslip_dates(tx, client_id, payslip_ids) if payslip_ids else {},
        hours_inherited=await hours_are_inherited(tx, client_id) if has_hours else False,
    )
    changes = []
    for index, request in enumerate(requests):
        if index % OWNERS_BETWEEN_PAUSES == 0:
            await asyncio.sleep(0)
        changes.append(await _validate_owner(tx, catalogue, request, stored))
    return changes


async def save_changes(tx: Transaction, catalogue: Catalogue, changes: Sequence[CalculationChanges]) -> None:
    """Save the calculations of owners without errors."""
    calculations = [calculation for change in changes for calculation in change.calculations]
    ids = await repository.save_many(tx, calculations, definition_ids(catalogue))
    if ids:
        tx.emit(ResourceEvent(EventType.CALCULATION_CHANGED, calculations[0].owner.client_id, tuple(ids)))


async def save_regular_hours(
    tx: Transaction, owner: CalculationOwner, inputs: Mapping[str, Any], effective_date: date | None = None
) -> Errors:
    """Change the regular hours of an employee. Returns errors, and then saves nothing."""
    body: dict[str, Any] = {"calc_type": WEEK_HOURS, "calculation_details": dict(inputs)}
    if effective_date:
        body["effective_date"] = effective_date.isoformat()
    try:
        await save_inherited(tx, owner.employee_id or 0, body)
    except ValidationError as error:
        of_inputs = Errors(error.errors)
        of_date = of_inputs.pop("effective_date", None)
        errors = Errors()
        if of_date and of_date.kind is EFFECTIVE_DATE_REQUIRED:
            for name in inputs:
                errors.add(_input_key(WEEK_HOURS, name), NEEDS_EFFECTIVE_DATE, **of_date.params)
        elif of_date:
            errors.add("effective_date", of_date.kind, **of_date.params)
        return Errors({**errors, **errors_by_input(WEEK_HOURS, inputs, of_inputs)})
    except Conflict as error:
        if not error.errors:
            raise
        return error.errors
    return Errors()


@dataclass(frozen=True)
class StoredCalculations:
    """What the changes of many owners are checked against."""

    by_owner: Mapping[tuple[CalculationOwner, str], Calculation]
    open_periods: Mapping[int, OpenPeriod]
    """By employee."""
    payslip_dates: Mapping[int, date]
    hours_inherited: bool

    def context(self, owner: CalculationOwner, calc_type: str) -> ValidationContext:
        """Return what a calculation of an owner is checked against."""
        period = self.open_periods.get(owner.employee_id or 0, NEVER_PAID)
        is_recurring = owner.level == "employee"
        return ValidationContext(
            self.by_owner.get((owner, calc_type)), [], {}, None, period if is_recurring else NEVER_PAID
        )


async def _validate_owner(
    tx: Transaction, catalogue: Catalogue, request: InputRequest, stored: StoredCalculations
) -> CalculationChanges:
    changes = CalculationChanges()
    payslip_date = stored.payslip_dates.get(request.owner.payslip_id or 0)
    scope = CalculationScope(request.owner, catalogue, payslip_date or clock.today())
    for calc_type, inputs in request.inputs.items():
        type_errors = Errors()
        if find_enterable_type(catalogue, calc_type, "calc_type", type_errors) is None:
            changes.errors |= errors_by_input(calc_type, inputs, type_errors)
            continue
        if calc_type == WEEK_HOURS and stored.hours_inherited and scope.owner.level == "employee":
            changes.regular_hours = inputs
            continue
        if calc_type in TYPES_WITH_CONTEXT:
            context = await load_context(tx, scope, calc_type)
        else:
            context = stored.context(scope.owner, calc_type)
        validate_inputs(scope, calc_type, inputs, context, changes, request.valid_from)
    return changes


def validate_inputs(
    scope: CalculationScope,
    calc_type: str,
    inputs: Mapping[str, Any],
    context: ValidationContext,
    changes: CalculationChanges,
    valid_from: date | None = None,
) -> None:
    """Validate the inputs of one calculation, and add it or its errors to the changes."""
    body = {"calculation_details": dict(inputs), "valid_from": valid_from and valid_from.isoformat()}
    try:
        calculation, _ = validate_calculation(body, scope, calc_type, context)
    except ValidationError as error:
        changes.errors |= errors_by_input(calc_type, inputs, error.errors)
    else:
        changes.calculations.append(calculation)


def errors_by_input(calc_type: str, names: Iterable[str], errors: Errors) -> Errors:
    """Return the errors under `calc.<type>.<input>`, with the names as they were sent.

    An error of the whole calculation is repeated for each input. All unknown inputs are reported.
    """
    moved = Errors()
    names_by_path: dict[str, list[str]] = {}
    for name in names:
        names_by_path.setdefault(FieldPath("employee").input_path(name), []).append(name)
    sent_names = [name for group in names_by_path.values() for name in group]
    for path, error in errors.items():
        name = path.removeprefix(f"{FieldPath.path}.")
        for input_name in names_by_path.get(path) or (sent_names if name == path else [name]):
            moved.add(_input_key(calc_type, input_name), error.kind, **error.params)
    if system_type := SYSTEM_TYPES.get(calc_type):
        for name in sent_names:
            if name not in system_type.inputs_by_name:
                moved.add_if_absent(_input_key(calc_type, name), UNKNOWN_INPUT, calc_type=calc_type)
    return moved


def _input_key(calc_type: str, name: str) -> str:
    return f"calc.{calc_type}.{name}"


def definition_ids(catalogue: Catalogue) -> dict[str, int]:
    """Return the IDs of the custom items of a catalogue, by type."""
    return {name: item.definition.id for name, item in catalogue.types.items() if item.definition}
