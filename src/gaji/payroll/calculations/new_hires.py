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
from gaji.payroll.calculations.bulk_changes import Inputs, Written, told, told_at
from gaji.payroll.calculations.input_parsing import Place
from gaji.payroll.calculations.inheritance import Calculation, Owner
from gaji.payroll.calculations.scope import Subject
from gaji.payroll.calculations.rules import known_type
from gaji.payroll.calculations.week_hours import INITIAL
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.calculations.validate import Around

NOBODY = 0
"""Stands for the employee until there is one."""


@dataclass(frozen=True)
class Reader:
    """Reads inputs of employees who have nothing yet, and no profile: beside their own there are the client's."""

    client_id: int
    catalogue: Catalogue
    client: Mapping[str, Calculation]
    """What the client says, by type."""
    features: Mapping[str, bool]

    def read(self, inputs: Inputs, work_pass: str | None) -> Written:
        """What is asked for one of them; `work_pass` is what their record will say."""
        written = Written()
        subject = Subject(Owner(self.client_id, employee_id=NOBODY), self.catalogue, clock.today())
        for name, given in inputs.items():
            unknown: Errors = Errors()
            if known_type(self.catalogue, name, "calc_type", unknown) is None:
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

    def _read_hours(self, given: Mapping[str, object], written: Written) -> None:
        errors: Errors = Errors()
        place = Place("employee")
        farther = self.client[WEEK_HOURS].inputs if WEEK_HOURS in self.client else {}
        changes = input_parsing.read(SYSTEM_TYPES[WEEK_HOURS], place, given, errors)
        written.hours = input_parsing.check_week_hours(
            input_parsing.merged({}, changes), farther, changes, self.features, place, errors
        )
        written.errors |= told(WEEK_HOURS, given, errors)


async def reader(tx: Transaction, client_id: int, catalogue: Catalogue) -> Reader:
    """The reader for the new employees of a client."""
    client = {one.type: one for one in await repository.of_client(tx, client_id)}
    return Reader(client_id, catalogue, client, await client_features(tx, client_id))


async def save(tx: Transaction, client_id: int, catalogue: Catalogue, people: Sequence[tuple[int, Written]]) -> None:
    """Save what was read without errors for employees that have just been saved."""
    calculations = [
        replace(one, owner=Owner(client_id, employee_id=employee_id))
        for employee_id, written in people
        for one in written.calculations
    ]
    definitions = {name: one.definition.id for name, one in catalogue.types.items() if one.definition}
    await bulk_store.save(tx, calculations, definitions)
    hours = {employee_id: {INITIAL: dict(one.hours)} for employee_id, one in people if one.hours is not None}
    if hours:
        await inherited_store.insert_many(tx, client_id, WEEK_HOURS, hours)
