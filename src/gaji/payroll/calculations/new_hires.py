"""Validate and save the calculations of new employees, before the employees have IDs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gaji.company.clients.queries import load_client_features
from gaji.core import clock
from gaji.core.errors import Errors
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue
from gaji.payroll.calculations import input_parsing, repository
from gaji.payroll.calculations.bulk_changes import (
    CalculationChanges,
    InputsByType,
    definition_ids,
    errors_by_input,
    validate_inputs,
)
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours import repository as regular_hours
from gaji.payroll.calculations.regular_hours.history import INITIAL
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.validate import ValidationContext

UNSAVED_EMPLOYEE_ID = 0
"""The employee ID until the employee is saved."""


@dataclass(frozen=True)
class NewHireValidator:
    """Validates the inputs of new employees. They inherit from the client only."""

    client_id: int
    catalogue: Catalogue
    client_calculations: Mapping[str, Calculation]
    """The client's calculations by type."""
    features: Mapping[str, bool]

    def validate(self, inputs_by_type: InputsByType, work_pass: str | None) -> CalculationChanges:
        """Validate the inputs of a new employee with this work pass."""
        changes = CalculationChanges()
        owner = CalculationOwner(self.client_id, employee_id=UNSAVED_EMPLOYEE_ID)
        scope = CalculationScope(owner, self.catalogue, clock.today())
        for calc_type, inputs in inputs_by_type.items():
            type_errors = Errors()
            if find_enterable_type(self.catalogue, calc_type, "calc_type", type_errors) is None:
                changes.errors |= errors_by_input(calc_type, inputs, type_errors)
            elif calc_type == WEEK_HOURS and self.features["regular_hours_v2"]:
                self._validate_regular_hours(inputs, changes)
            else:
                inherited = self.client_calculations.get(calc_type)
                context = ValidationContext(None, [inherited] if inherited else [], self.features, work_pass)
                validate_inputs(scope, calc_type, inputs, context, changes)
        return changes

    def _validate_regular_hours(self, inputs: Mapping[str, object], changes: CalculationChanges) -> None:
        errors = Errors()
        field_path = FieldPath("employee")
        client_hours = self.client_calculations.get(WEEK_HOURS)
        inherited = client_hours.inputs if client_hours else {}
        input_changes = input_parsing.parse_inputs(SYSTEM_TYPES[WEEK_HOURS], field_path, inputs, errors)
        hours = input_parsing.apply_changes({}, input_changes)
        input_parsing.check_regular_hours(hours, inherited, input_changes, self.features, field_path, errors)
        changes.regular_hours = hours
        changes.errors |= errors_by_input(WEEK_HOURS, inputs, errors)


async def load_validator(tx: Transaction, client_id: int, catalogue: Catalogue) -> NewHireValidator:
    """Load the validator for the new employees of a client."""
    calculations = await repository.load_client_calculations(tx, client_id)
    by_type = {calculation.type: calculation for calculation in calculations}
    return NewHireValidator(client_id, catalogue, by_type, await load_client_features(tx, client_id))


async def save_new_hires(
    tx: Transaction, client_id: int, catalogue: Catalogue, new_hires: Sequence[tuple[int, CalculationChanges]]
) -> None:
    """Save the validated calculations of new employees, given the IDs of the employees."""
    calculations = [
        replace(calculation, owner=CalculationOwner(client_id, employee_id=employee_id))
        for employee_id, changes in new_hires
        for calculation in changes.calculations
    ]
    ids = await repository.save_many(tx, calculations, definition_ids(catalogue))
    tx.emit(ResourceEvent(EventType.CALCULATION_CHANGED, client_id, tuple(ids)))
    histories = {
        employee_id: {INITIAL: dict(changes.regular_hours)}
        for employee_id, changes in new_hires
        if changes.regular_hours is not None
    }
    if histories:
        await regular_hours.save_many(tx, client_id, histories)
