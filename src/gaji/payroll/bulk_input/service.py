"""What bulk input does: look at all entities, then save those without a fault, in one transaction."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import Catalogue
from gaji.identity.service import require_writer
from gaji.payroll.bulk_input.entities import Entity, fail_repeated, read_entities
from gaji.payroll.calculation_definitions.queries import load_catalogue as catalogue_of
from gaji.payroll.calculations import bulk_changes as calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.payslips.recalculation import employees_changed, next_drafts
from gaji.payroll.payslips.selection import Targets, targets
from gaji.people.employees import bulk_changes as employees
from gaji.people.employees import service as employee_service
from gaji.people.employees.bulk_changes import Change
from gaji.people.employees.names import Named, held

AT_ONCE = 200
"""So many employees are calculated before the answer is sent; the drafts of more wait for a job."""


@dataclass(frozen=True)
class Outcome:
    """How an entity fared."""

    entity: Entity
    message: str


async def save_entities(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> list[Outcome]:
    """Save what the entities of a request ask for, each whole or not at all."""
    entities = read_entities(body)
    try:
        return await _enter(tenant, client_id, entities)
    except asyncpg.UniqueViolationError:
        # Somebody just took a number or an identifier. Now that they have, looking again says which entity fails.
        return await _enter(tenant, client_id, read_entities(body))


async def _enter(tenant: Tenant, client_id: int, entities: Sequence[Entity]) -> list[Outcome]:
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        catalogue = await catalogue_of(tx, client_id)
        people = await held(tx, client_id, sorted({one.employee_id for one in entities if one.employee_id}))
        for one in entities:
            if one.employee_id and one.employee_id not in people:
                one.errors.add("id", INVALID, reason=f"there is no employee {one.employee_id} in this client")
        await _find_payslips(tx, client_id, entities)
        fail_repeated(entities)
        changed = await _save(tx, client_id, catalogue, entities)
        await (employees_changed if len(changed) <= AT_ONCE else next_drafts)(tx, client_id, changed)
        return [Outcome(one, _message(one, people)) for one in entities]


async def _find_payslips(tx: Transaction, client_id: int, entities: Sequence[Entity]) -> None:
    """The payslip of each entity that names one; what is wrong with it is a fault of the entity."""
    by_id = [one.payslip_id for one in entities if one.payslip_id is not None]
    by_date = [(one.employee_id, one.payslip_date) for one in entities if one.payslip_date and one.employee_id]
    found = await targets(tx, client_id, by_id, by_date) if by_id or by_date else Targets({}, {})
    for one in entities:
        if one.names_payslip and "id" not in one.errors:
            _check_payslip(one, found)


def _check_payslip(one: Entity, found: Targets) -> None:
    if one.payslip_id is not None:
        key, target = "payslip_id", found.by_id.get(one.payslip_id)
        if target is None or target.employee_id != one.employee_id:
            one.errors.add(key, INVALID, reason=f"there is no payslip {one.payslip_id} of this employee")
            return
        if one.payslip_date is not None and (target.special or target.date != one.payslip_date):
            one.errors.add(
                "payslip_date",
                INVALID,
                reason=f"payslip {target.id} is not the regular one of that date; send one of the two",
            )
            return
    else:
        key = "payslip_date"
        target = found.by_date.get((one.employee_id or 0, one.payslip_date)) if one.payslip_date else None
        if target is None:
            one.errors.add(
                key, INVALID, reason=f"the employee has no regular payslip whose period ends on {one.payslip_date}"
            )
            return
        one.payslip_id = target.id
    if target.finalised and one.inputs:
        one.errors.add(key, INVALID, reason=f"the payslip of {target.date} is finalised and cannot change")


async def _save(tx: Transaction, client_id: int, catalogue: Catalogue, entities: Sequence[Entity]) -> list[int]:
    """Save the entities without errors; gives the employees whose payslips that concerns."""
    placed = [one for one in entities if one.is_placed]
    written = await _read_inputs(tx, client_id, catalogue, [one for one in placed if one.inputs])
    together, changes = await _read_attributes(tx, client_id, [one for one in placed if one.attributes])
    valid = [one for one in placed if not one.errors]
    alone = [one for one in valid if _is_alone(one, written, together)]
    for one in alone:
        await _save_alone(tx, client_id, one, written[one.place].hours if one.place in written else None)
    good = [one for one in valid if not one.errors]
    by_themselves = {one.place for one in alone}
    joined = {one.employee_id or 0 for one in good if one.place in together - by_themselves}
    await employees.save_changes(tx, client_id, {who: changes[who] for who in joined})
    await calculations.save_changes(tx, catalogue, [written[one.place] for one in good if one.place in written])
    concerned = {one.employee_id or 0 for one in good if one.inputs or one.place in by_themselves}
    return sorted(concerned | {who for who in joined if changes[who].of_pay})


async def _read_attributes(
    tx: Transaction, client_id: int, entities: Sequence[Entity]
) -> tuple[set[int], dict[int, Change]]:
    """The changes of employees that can be made together, and the places of the entities that ask for them."""
    together = {one.employee_id or 0: one for one in reversed(entities) if employees.is_simple(one.attributes)}
    bodies = {who: one.attributes for who, one in together.items()}
    changes, wrong = await employees.read_changes(tx, client_id, bodies)
    for who, errors in wrong.items():
        together[who].errors |= errors
    return {one.place for one in together.values()}, changes


def _is_alone(one: Entity, written: Mapping[int, CalculationChanges], together: Set[int]) -> bool:
    """Whether an entity is saved by itself: it touches the periods of an employee, or comes second for the same one."""
    has_hours = one.place in written and written[one.place].hours is not None
    return has_hours or bool(one.attributes and one.place not in together)


async def _read_inputs(
    tx: Transaction, client_id: int, catalogue: Catalogue, entities: Sequence[Entity]
) -> dict[int, CalculationChanges]:
    """By place, what is asked of calculations; what is wrong with it is a fault of the entity."""
    owners = [CalculationOwner(client_id, employee_id=one.employee_id, payslip_id=one.payslip_id) for one in entities]
    asked = [(owner, one.inputs) for owner, one in zip(owners, entities, strict=True)]
    found = dict(zip((one.place for one in entities), await calculations.validate_changes(tx, catalogue, asked), strict=True))
    for one in entities:
        one.errors |= found[one.place].errors
    return found


async def _save_alone(tx: Transaction, client_id: int, one: Entity, hours: Mapping[str, Any] | None) -> None:
    """Save what cannot be saved together with others; with a fault, nothing of the entity."""
    await tx.savepoint("entity")
    if one.attributes:
        one.errors |= await _refused(lambda: employee_service.change(tx, one.employee_id or 0, one.attributes))
    if hours is not None and not one.errors:
        one.errors |= await calculations.save_regular_hours(tx, CalculationOwner(client_id, employee_id=one.employee_id), hours)
    if one.errors:
        await tx.roll_back_to("entity")
    await tx.execute("RELEASE SAVEPOINT entity")


async def _refused(change: Callable[[], Awaitable[object]]) -> Errors:
    """What a change is refused for; nothing when it is made."""
    try:
        await change()
    except ValidationError as error:
        return error.errors
    except Conflict as error:
        return {"id": error.message}
    return {}


def _message(one: Entity, people: Mapping[int, Named]) -> str:
    who = people.get(one.employee_id or 0)
    if who is None:
        return one.errors["id"][:1].upper() + one.errors["id"][1:]
    if not one.errors:
        return f"{who} has been updated"
    count = len(one.errors)
    return f"{who} has not been updated: {'1 attribute is' if count == 1 else f'{count} attributes are'} not valid"
