"""Bulk input use case: validate all entities, then save those without errors, in one transaction."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import Conflict, ErrorCode, Errors, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import Catalogue
from gaji.identity.roles import require_writer
from gaji.payroll.bulk_input.entities import BulkEntity, parse_entities, reject_duplicates
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import bulk_changes as calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges, InputRequest
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.payslips.recalculation import create_next_drafts, recalculate_employees
from gaji.payroll.payslips.selection import PayslipTarget, PayslipTargets, lock_targets
from gaji.people.employees import bulk_update as employees
from gaji.people.employees import service as employee_service
from gaji.people.employees.access import lock_employees
from gaji.people.employees.bulk_update import EmployeeChange
from gaji.people.employees.display_name import EmployeeLabel

MAX_IMMEDIATE = 200
"""Employees whose drafts are recalculated before the response. Above this, a background task does it."""

PAYSLIP_KEYS = {"payslip_id", "payslip_date"}
TARGET_KEYS = {"id", *PAYSLIP_KEYS}
NO_PAYSLIP = 0
SAVEPOINT = "bulk_input"

NO_SUCH_PAYSLIP = ErrorCode("no_such_payslip", "the employee has no payslip {payslip_id}")
NO_PAYSLIP_ON_DATE = ErrorCode("no_payslip_on_date", "the employee has no regular payslip that ends on {date}")
PAYSLIP_DATE_MISMATCH = ErrorCode(
    "payslip_date_mismatch", "payslip {payslip_id} is not the regular payslip of this date; send only one of them"
)
EFFECTIVE_DATE_NOT_USED = ErrorCode(
    "effective_date_not_used", "is only allowed with week_hours inputs of an employee, which have a history"
)
VALID_FROM_NOT_USED = ErrorCode(
    "valid_from_not_used", "is only allowed with inputs of the employee's recurring calculations, without a payslip"
)
PAYSLIP_CORRECTS = ErrorCode(
    "payslip_corrects", "payslip {payslip_id} corrects another payslip and has no calculations of its own"
)
PAYSLIP_FINALISED = ErrorCode("payslip_finalised", "the payslip of {date} is finalised and cannot change")


@dataclass(frozen=True)
class EntityResult:
    """The result of an entity."""

    entity: BulkEntity
    message: str
    number: str | None
    """The number of the employee, if the employee exists."""


async def save_entities(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> list[EntityResult]:
    """Save the entities of a request. Each is saved completely or not at all."""
    return await save_parsed(tenant, client_id, lambda: parse_entities(body))


async def save_parsed(tenant: Tenant, client_id: int, parse: Callable[[], list[BulkEntity]]) -> list[EntityResult]:
    """Save the entities that a function parses. Each is saved completely or not at all."""
    # In a thread: suggestions for thousands of unknown keys take long.
    entities = await asyncio.to_thread(parse)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await tx.savepoint(SAVEPOINT)
        try:
            return await _save_entities(tx, client_id, entities)
        except asyncpg.UniqueViolationError:
            # A concurrent request took an employee number or identifier. Validation now reports which entity fails.
            await tx.roll_back_to(SAVEPOINT)
            return await _save_entities(tx, client_id, await asyncio.to_thread(parse))


async def _save_entities(tx: Transaction, client_id: int, entities: Sequence[BulkEntity]) -> list[EntityResult]:
    catalogue = await load_catalogue(tx, client_id)
    employee_ids = sorted({entity.employee_id for entity in entities if entity.employee_id})
    labels = await lock_employees(tx, client_id, employee_ids)
    for entity in entities:
        if entity.employee_id and entity.employee_id not in labels:
            entity.errors.add("id", UNKNOWN_ID, resource="employee", id=entity.employee_id)
    await _find_payslips(tx, client_id, entities)
    reject_duplicates(entities)
    known = [entity for entity in entities if entity.employee_id in labels]
    affected_ids = await _save(tx, client_id, catalogue, known)
    await recalculate(tx, client_id, affected_ids)
    return await run_in_thread_if_many(len(entities), lambda: [_result(entity, labels) for entity in entities])


async def recalculate(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Recalculate the drafts of employees: a few at once, many in a background task."""
    if len(employee_ids) <= MAX_IMMEDIATE:
        await recalculate_employees(tx, client_id, employee_ids)
    else:
        await create_next_drafts(tx, client_id, employee_ids)


async def _find_payslips(tx: Transaction, client_id: int, entities: Sequence[BulkEntity]) -> None:
    """Find the payslip of each entity that names one."""
    ids = [entity.payslip_id for entity in entities if entity.payslip_id is not None]
    dates = [
        (entity.employee_id, entity.payslip_date) for entity in entities if entity.payslip_date and entity.employee_id
    ]
    targets = await lock_targets(tx, client_id, ids, dates) if ids or dates else PayslipTargets({}, {})
    for entity in entities:
        if entity.names_payslip and entity.errors.keys().isdisjoint(TARGET_KEYS):
            _check_payslip(entity, targets)


def _check_payslip(entity: BulkEntity, targets: PayslipTargets) -> None:
    target = _find_by_date(entity, targets) if entity.payslip_id is None else _find_by_id(entity, targets)
    if target is None:
        return
    entity.payslip_id = target.id
    if target.finalised:
        for key in entity.input_keys:
            entity.errors.add(key, PAYSLIP_FINALISED, date=target.date)
    elif target.is_correction:
        for key in entity.input_keys:
            entity.errors.add(key, PAYSLIP_CORRECTS, payslip_id=target.id)


def _find_by_id(entity: BulkEntity, targets: PayslipTargets) -> PayslipTarget | None:
    target = targets.by_id.get(entity.payslip_id or 0)
    if target is None or target.employee_id != entity.employee_id:
        entity.errors.add("payslip_id", NO_SUCH_PAYSLIP, payslip_id=entity.payslip_id)
        return None
    if entity.payslip_date is not None and (target.special or target.date != entity.payslip_date):
        entity.errors.add("payslip_date", PAYSLIP_DATE_MISMATCH, payslip_id=target.id)
        return None
    return target


def _find_by_date(entity: BulkEntity, targets: PayslipTargets) -> PayslipTarget | None:
    day = entity.payslip_date
    target = targets.by_date.get((entity.employee_id or 0, day)) if day else None
    if target is None:
        entity.errors.add("payslip_date", NO_PAYSLIP_ON_DATE, date=day)
    return target


async def _save(tx: Transaction, client_id: int, catalogue: Catalogue, entities: Sequence[BulkEntity]) -> list[int]:
    """Save the entities without errors, all of known employees. Returns the employees whose payslips are affected.

    Entities that already have errors are validated too, so that all their errors are reported.
    """
    calculation_changes = await _validate_inputs(tx, client_id, catalogue, entities)
    employee_changes, bulk_indexes = await _validate_attributes(tx, client_id, entities)
    separate_indexes = set()
    for entity in entities:
        changes = calculation_changes.get(entity.index)
        hours = changes.regular_hours if changes else None
        if entity.effective_date and hours is None:
            entity.errors.add_if_absent("effective_date", EFFECTIVE_DATE_NOT_USED)
        if entity.valid_from and not _has_dated_inputs(entity, changes):
            entity.errors.add_if_absent("valid_from", VALID_FROM_NOT_USED)
        in_bulk = entity.index in bulk_indexes
        if hours is not None or (entity.attributes and not in_bulk):
            separate_indexes.add(entity.index)
            await _save_separately(tx, client_id, entity, hours, attributes_checked=in_bulk)
    saved = [entity for entity in entities if not entity.errors]
    together_indexes = bulk_indexes - separate_indexes
    bulk_ids = {entity.employee_id or 0 for entity in saved if entity.index in together_indexes}
    held_changes = await employees.save_changes(
        tx, client_id, {employee_id: employee_changes[employee_id] for employee_id in bulk_ids}
    )
    for entity in saved:
        if entity.index in together_indexes and (change := held_changes.get(entity.employee_id or 0)):
            entity.approval_id = change.approval.id
            entity.warnings.update(change.warnings)
    await calculations.save_changes(
        tx, catalogue, [calculation_changes[entity.index] for entity in saved if entity.index in calculation_changes]
    )
    affected_ids = {entity.employee_id or 0 for entity in saved if entity.inputs or entity.index in separate_indexes}
    return sorted(affected_ids | {employee_id for employee_id in bulk_ids if employee_changes[employee_id].affects_pay})


def _has_dated_inputs(entity: BulkEntity, changes: CalculationChanges | None) -> bool:
    """Return whether an entity changes recurring calculations other than inherited ones."""
    if any(entity.sent.get(key) is not None for key in PAYSLIP_KEYS):
        return False
    hours = changes is not None and changes.regular_hours is not None
    return len(entity.inputs) > (1 if hours else 0)


async def _validate_attributes(
    tx: Transaction, client_id: int, entities: Sequence[BulkEntity]
) -> tuple[dict[int, EmployeeChange], set[int]]:
    """Validate the attributes that can be saved in bulk: at most one entity for each employee.

    Returns the changes by employee, and the indexes of the entities.
    """
    await _drop_unchanged_periods(tx, client_id, entities)
    bulk_entities = {
        entity.employee_id or 0: entity
        for entity in reversed(entities)
        if entity.attributes and employees.can_update_in_bulk(entity.attributes)
    }
    bodies = {employee_id: entity.attributes for employee_id, entity in bulk_entities.items()}
    changes, errors_by_employee = await employees.validate_changes(tx, client_id, bodies)
    await run_in_thread_if_many(len(errors_by_employee), lambda: _add_errors(bulk_entities, errors_by_employee))
    for employee_id, change in changes.items():
        bulk_entities[employee_id].warnings.update(change.warnings)
    return changes, {entity.index for entity in bulk_entities.values()}


async def _drop_unchanged_periods(tx: Transaction, client_id: int, entities: Sequence[BulkEntity]) -> None:
    by_employee = {entity.employee_id or 0: entity for entity in entities if entity.attributes}
    bodies = {employee_id: entity.attributes for employee_id, entity in by_employee.items()}
    for employee_id, attributes in (await employees.drop_unchanged_periods(tx, client_id, bodies)).items():
        by_employee[employee_id].attributes = attributes


def _add_errors(entities: Mapping[int, BulkEntity], errors_by_employee: Mapping[int, Errors]) -> None:
    for employee_id, errors in errors_by_employee.items():
        entities[employee_id].add_attribute_errors(errors)


async def _validate_inputs(
    tx: Transaction, client_id: int, catalogue: Catalogue, entities: Sequence[BulkEntity]
) -> dict[int, CalculationChanges]:
    """Validate the calculation inputs of entities. Returns the changes by the index of the entity."""
    with_inputs, requests = await run_in_thread_if_many(
        len(entities), lambda: _find_input_requests(client_id, entities)
    )
    validated = await calculations.validate_changes(tx, catalogue, requests)
    for entity, changes in zip(with_inputs, validated, strict=True):
        entity.errors |= changes.errors
    return {entity.index: changes for entity, changes in zip(with_inputs, validated, strict=True)}


def _find_input_requests(client_id: int, entities: Sequence[BulkEntity]) -> tuple[list[BulkEntity], list[InputRequest]]:
    """Return the entities with inputs that may be valid, and the request of each."""
    with_inputs = [
        entity for entity in entities if entity.inputs and entity.errors.keys().isdisjoint(entity.input_keys)
    ]
    requests = [InputRequest(_owner(client_id, entity), entity.inputs, entity.valid_from) for entity in with_inputs]
    return with_inputs, requests


def _owner(client_id: int, entity: BulkEntity) -> CalculationOwner:
    """Return the owner of an entity's inputs. For a payslip that does not exist, they are only validated."""
    names_payslip = any(entity.sent.get(key) is not None for key in PAYSLIP_KEYS)
    payslip_id = (entity.payslip_id or NO_PAYSLIP) if names_payslip else None
    return CalculationOwner(client_id, employee_id=entity.employee_id, payslip_id=payslip_id)


async def _save_separately(
    tx: Transaction, client_id: int, entity: BulkEntity, hours: Mapping[str, Any] | None, *, attributes_checked: bool
) -> None:
    """Save attributes and regular hours that cannot be saved in bulk. An error rolls back the entity."""
    await tx.savepoint("entity")
    if entity.attributes and not (attributes_checked and entity.errors):
        await _update_employee(tx, entity)
    if hours is not None:
        owner = CalculationOwner(client_id, employee_id=entity.employee_id)
        entity.errors |= await calculations.save_regular_hours(tx, owner, hours, entity.effective_date)
    if entity.errors:
        entity.approval_id = None
        await tx.roll_back_to("entity")
    await tx.execute("RELEASE SAVEPOINT entity")


async def _update_employee(tx: Transaction, entity: BulkEntity) -> None:
    try:
        validated, approval = await employee_service.apply_update(tx, entity.employee_id or 0, entity.attributes)
        entity.warnings.update(validated.warnings)
        entity.approval_id = approval.id if approval else None
    except (ValidationError, Conflict) as error:
        if not error.errors:
            raise
        entity.add_attribute_errors(error.errors)


def _result(entity: BulkEntity, labels: Mapping[int, EmployeeLabel]) -> EntityResult:
    label = labels.get(entity.employee_id or 0)
    new_number = "" if entity.errors else str(entity.attributes.get("number") or "").strip()
    return EntityResult(entity, _message(entity, labels), (new_number or label.number) if label else None)


def _message(entity: BulkEntity, labels: Mapping[int, EmployeeLabel]) -> str:
    label = labels.get(entity.employee_id or 0)
    if label is None:
        reason = entity.errors["id"].message
        return reason[:1].upper() + reason[1:]
    if not entity.errors:
        pending = f"; the bank account changes when another person approves it (approval {entity.approval_id})"
        return f"{label} has been updated{pending if entity.approval_id else ''}"
    count = len(entity.errors)
    return f"{label} has not been updated: {'1 attribute is' if count == 1 else f'{count} attributes are'} not valid"
