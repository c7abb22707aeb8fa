"""Validate and save the inputs of many calculations at once, in a handful of queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core import clock
from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.chains import hours_are_inherited
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
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

InputsByType = Mapping[str, Mapping[str, Any]]
"""The inputs to change, by type."""


@dataclass
class CalculationChanges:
    """The changes of one owner: calculations to save, or errors."""

    calculations: list[Calculation] = field(default_factory=list)
    regular_hours: Mapping[str, Any] | None = None
    """Regular hours of an employee. They have a history and are saved with `save_regular_hours`."""
    errors: Errors = field(default_factory=Errors)
    """By `calc.<type>.<input>`."""


async def validate_changes(
    tx: Transaction, catalogue: Catalogue, requests: Sequence[tuple[CalculationOwner, InputsByType]]
) -> list[CalculationChanges]:
    """Validate the inputs of each owner. All owners belong to one client."""
    if not requests:
        return []
    client_id = requests[0][0].client_id
    current = await repository.load_own_calculations(tx, client_id, [owner for owner, _ in requests])
    has_hours = any(WEEK_HOURS in inputs for _, inputs in requests)
    hours_inherited = await hours_are_inherited(tx, client_id) if has_hours else False
    return [
        await _validate_owner(tx, CalculationScope(owner, catalogue, clock.today()), inputs, current, hours_inherited)
        for owner, inputs in requests
    ]


async def save_changes(tx: Transaction, catalogue: Catalogue, changes: Sequence[CalculationChanges]) -> None:
    """Save the calculations of owners without errors."""
    calculations = [calculation for change in changes for calculation in change.calculations]
    await repository.save_many(tx, calculations, definition_ids(catalogue))


async def save_regular_hours(tx: Transaction, owner: CalculationOwner, inputs: Mapping[str, Any]) -> Errors:
    """Change the regular hours of an employee. Returns errors, and then saves nothing."""
    try:
        body = {"calc_type": WEEK_HOURS, "calculation_details": dict(inputs)}
        await save_inherited(tx, owner.employee_id or 0, body)
    except ValidationError as error:
        return errors_by_input(WEEK_HOURS, inputs, error.errors)
    except Conflict as error:
        return errors_by_input(WEEK_HOURS, inputs, Errors.single("calc_type", INVALID, reason=error.message))
    return Errors()


async def _validate_owner(
    tx: Transaction,
    scope: CalculationScope,
    inputs_by_type: InputsByType,
    current: Mapping[tuple[CalculationOwner, str], Calculation],
    hours_inherited: bool,
) -> CalculationChanges:
    changes = CalculationChanges()
    for calc_type, inputs in inputs_by_type.items():
        type_errors = Errors()
        if find_enterable_type(scope.catalogue, calc_type, "calc_type", type_errors) is None:
            changes.errors |= errors_by_input(calc_type, inputs, type_errors)
            continue
        if calc_type == WEEK_HOURS and hours_inherited and scope.owner.level == "employee":
            changes.regular_hours = inputs
            continue
        if calc_type in TYPES_WITH_CONTEXT:
            context = await load_context(tx, scope, calc_type)
        else:
            own_row = current.get((scope.owner, calc_type))
            context = ValidationContext([own_row] if own_row else [], {}, None)
        validate_inputs(scope, calc_type, inputs, context, changes)
    return changes


def validate_inputs(
    scope: CalculationScope,
    calc_type: str,
    inputs: Mapping[str, Any],
    context: ValidationContext,
    changes: CalculationChanges,
) -> None:
    """Validate the inputs of one calculation, and add it or its errors to the changes."""
    try:
        calculation, _ = validate_calculation({"calculation_details": dict(inputs)}, scope, calc_type, context)
    except ValidationError as error:
        changes.errors |= errors_by_input(calc_type, inputs, error.errors)
    else:
        changes.calculations.append(calculation)


def errors_by_input(calc_type: str, names: Iterable[str], errors: Errors) -> Errors:
    """Return the errors under `calc.<type>.<input>`. An error of the whole calculation is repeated for each input."""
    moved = Errors()
    for path, error in errors.items():
        name = path.removeprefix("calculation_details.")
        for input_name in names if name == path else (name,):
            key = f"calc.{calc_type[:MAX_NAME_LENGTH]}.{input_name[:MAX_NAME_LENGTH]}"
            moved.add(key, error.kind, **error.params)
    return moved


def definition_ids(catalogue: Catalogue) -> dict[str, int]:
    """Return the IDs of the custom items of a catalogue, by type."""
    return {name: item.definition.id for name, item in catalogue.types.items() if item.definition}
