"""What is entered for new employees together with them: the same checks as afterwards, before there are any ids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gaji.company.clients.service import client_features
from gaji.core import clock
from gaji.core.errors import Errors, ValidationError
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue
from gaji.payroll.calculations import bulk_store, inherited_store
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations import repository
from gaji.payroll.calculations import validate
from gaji.payroll.calculations.bulk_changes import InputsByType, CalculationChanges, told, told_at
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.week_hours import INITIAL
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.calculations.validate import Around

NOBODY = 0
"""Stands for the employee until there is one."""


@dataclass(frozen=True)
class NewHireValidator:
    """Reads inputs of employees who have nothing yet, and no profile: beside their own there are the client's."""

    client_id: int
    catalogue: Catalogue
    client: Mapping[str, Calculation]
    """What the client says, by type."""
    features: Mapping[str, bool]

    def read(self, inputs: InputsByType, work_pass: str | None) -> CalculationChanges:
        """What is asked for one of them; `work_pass` is what their record will say."""
        written = CalculationChanges()
        subject = CalculationScope(CalculationOwner(self.client_id, employee_id=NOBODY), self.catalogue, clock.today())
        for name, given in inputs.items():
            unknown: Errors = Errors()
            if find_enterable_type(self.catalogue, name, "calc_type", unknown) is None:
                written.errors |= {told_at(name, one): unknown["calc_type"] for one in given}
                continue
            if name == WEEK_HOURS and self.features["regular_hours_v2"]:
                self._read_hours(given, written)
                continue
            around = Around([self.client[name]] if name in self.client else [], self.features, work_pass)
            try:
                body = {"calculation_details": dict(given)}
                written.calculations.append(validate.read(body, subject, name, around)[0])
            except ValidationError as error:
                written.errors |= told(name, given, error.errors)
        return written

    def _read_hours(self, given: Mapping[str, object], written: CalculationChanges) -> None:
        errors: Errors = Errors()
        place = FieldPath("employee")
        farther = self.client[WEEK_HOURS].inputs if WEEK_HOURS in self.client else {}
        changes = input_parsing.parse_inputs(SYSTEM_TYPES[WEEK_HOURS], place, given, errors)
        written.hours = input_parsing.check_regular_hours(
            input_parsing.apply_changes({}, changes), farther, changes, self.features, place, errors
        )
        written.errors |= told(WEEK_HOURS, given, errors)


async def load_validator(tx: Transaction, client_id: int, catalogue: Catalogue) -> NewHireValidator:
    """The reader for the new employees of a client."""
    client = {one.type: one for one in await repository.of_client(tx, client_id)}
    return NewHireValidator(client_id, catalogue, client, await client_features(tx, client_id))


async def save_new_hires(tx: Transaction, client_id: int, catalogue: Catalogue, people: Sequence[tuple[int, CalculationChanges]]) -> None:
    """Save what was read without errors for employees that have just been saved."""
    calculations = [
        replace(one, owner=CalculationOwner(client_id, employee_id=employee_id))
        for employee_id, written in people
        for one in written.calculations
    ]
    definitions = {name: one.definition.id for name, one in catalogue.types.items() if one.definition}
    await bulk_store.save(tx, calculations, definitions)
    hours = {employee_id: {INITIAL: dict(one.hours)} for employee_id, one in people if one.hours is not None}
    if hours:
        await inherited_store.insert_many(tx, client_id, WEEK_HOURS, hours)
