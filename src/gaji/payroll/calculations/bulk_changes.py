"""Inputs of many calculations at once: the same checks as one by one, in a handful of queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gaji.core import clock
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.core.validation import MAX_NAME_LENGTH
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import Catalogue
from gaji.payroll.calculations import bulk_store, inherited
from gaji.payroll.calculations import validate
from gaji.payroll.calculations.chains import hours_are_inherited
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.rules import find_enterable_type
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.calculations.validate import LOOKED_AROUND, Around

InputsByType = Mapping[str, Mapping[str, Any]]
"""By type, the inputs that are given."""


@dataclass
class CalculationChanges:
    """What is asked for one owner: calculations to save, or everything that is wrong."""

    calculations: list[Calculation] = field(default_factory=list)
    hours: Mapping[str, Any] | None = None
    """Regular hours of an employee, which have a history and are changed alone."""
    errors: Errors = field(default_factory=dict)
    """By `calc.<type>.<input>`."""


async def validate_changes(tx: Transaction, catalogue: Catalogue, asked: Sequence[tuple[CalculationOwner, InputsByType]]) -> list[CalculationChanges]:
    """What is asked for each owner."""
    if not asked:
        return []
    client_id = asked[0][0].client_id
    current = await bulk_store.own_rows(tx, client_id, [owner for owner, _ in asked])
    dated = await hours_are_inherited(tx, client_id) if any(WEEK_HOURS in inputs for _, inputs in asked) else False
    return [await _read(tx, catalogue, owner, inputs, current, dated) for owner, inputs in asked]


async def save_changes(tx: Transaction, catalogue: Catalogue, written: Sequence[CalculationChanges]) -> None:
    """Save the calculations of owners without errors."""
    calculations = [one for each in written for one in each.calculations]
    definitions = {name: one.definition.id for name, one in catalogue.types.items() if one.definition}
    await bulk_store.save(tx, calculations, definitions)


async def save_regular_hours(tx: Transaction, owner: CalculationOwner, details: Mapping[str, Any]) -> Errors:
    """Change the regular hours of an employee; gives what is wrong with them and then saves nothing."""
    try:
        await inherited.change(
            tx, owner.employee_id or 0, {"calc_type": WEEK_HOURS, "calculation_details": dict(details)}
        )
    except ValidationError as error:
        return told(WEEK_HOURS, details, error.errors)
    except Conflict as error:
        return {told_at(WEEK_HOURS, name): error.message for name in details}
    return {}


async def _read(
    tx: Transaction,
    catalogue: Catalogue,
    owner: CalculationOwner,
    inputs: InputsByType,
    current: Mapping[tuple[CalculationOwner, str], Calculation],
    dated: bool,
) -> CalculationChanges:
    written = CalculationChanges()
    subject = CalculationScope(owner, catalogue, clock.today())
    for name, given in inputs.items():
        unknown: Errors = Errors()
        if find_enterable_type(catalogue, name, "calc_type", unknown) is None:
            written.errors |= {told_at(name, one): unknown["calc_type"] for one in given}
            continue
        if name == WEEK_HOURS and dated and owner.level == "employee":
            written.hours = given
            continue
        own = current.get((owner, name))
        around = (
            await validate.look_around(tx, subject, name)
            if name in LOOKED_AROUND
            else Around([own] if own else [], {}, None)
        )
        try:
            written.calculations.append(validate.read({"calculation_details": dict(given)}, subject, name, around)[0])
        except ValidationError as error:
            written.errors |= told(name, given, error.errors)
    return written


def told(name: str, given: Mapping[str, Any], errors: Mapping[str, str]) -> Errors:
    """Faults of calculation_details under the keys that were sent; what concerns no single input is told at each."""
    found: Errors = Errors()
    for path, fault in errors.items():
        own = path.removeprefix("calculation_details.")
        found |= {told_at(name, own): fault} if own != path else {told_at(name, one): fault for one in given}
    return found


def told_at(name: str, one: str) -> str:
    """The key under which a fault of an input is told."""
    return f"calc.{name[:MAX_NAME_LENGTH]}.{one[:MAX_NAME_LENGTH]}"
