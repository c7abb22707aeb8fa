"""Create and update many employees at once. Each employee is saved completely or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.core.error_codes import NOT_AN_OBJECT
from gaji.core.errors import Errors, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.bulk_input.entities import NOT_AN_EMPLOYEE_ID, BulkEntity, parse_id, require_list
from gaji.payroll.bulk_input.service import recalculate, save_parsed
from gaji.people.employees import bulk_create
from gaji.people.employees.bulk_create import CreatedEmployee
from gaji.people.employees.schemas import EMPLOYEE

LIST = "employees"
WRAPPER = EMPLOYEE.resource
SAVEPOINT = "create_employees"


@dataclass(frozen=True)
class EmployeeResult:
    """The result for one element of a request."""

    id: int | None
    """None if the employee has not been created, or does not exist."""
    number: str | None
    errors: Errors
    warnings: Mapping[str, str]
    approval_id: int | None = None
    """The pending approval of the new bank account, which is not saved yet."""


async def create_employees(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> list[EmployeeResult]:
    """Create the employees that are valid, and return a result for each."""
    elements = require_list(body, LIST)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await tx.savepoint(SAVEPOINT)
        try:
            results = await _create_valid(tx, client_id, elements)
        except (ValidationError, asyncpg.UniqueViolationError, asyncpg.ForeignKeyViolationError):
            # A concurrent transaction took a number or deleted a wave. A second attempt reports which employee fails.
            await tx.roll_back_to(SAVEPOINT)
            results = await _create_valid(tx, client_id, elements)
        await recalculate(tx, client_id, [result.id for result in results if result.id is not None])
        return results


async def update_employees(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> list[EmployeeResult]:
    """Update the employees whose changes are valid, and return a result for each."""
    elements = require_list(body, LIST)
    results = await save_parsed(tenant, client_id, lambda: _parse_updates(elements))
    return [
        EmployeeResult(entity.employee_id, result.number, entity.errors, entity.warnings, entity.approval_id)
        for result in results
        for entity in [result.entity]
    ]


async def _create_valid(tx: Transaction, client_id: int, elements: Sequence[object]) -> list[EmployeeResult]:
    bodies = [_attributes(element) for element in elements]
    # An element that is no object has an empty body, so that indexes stay those of the request.
    parsed = await bulk_create.parse_new_employees(tx, client_id, [attributes or {} for attributes in bodies])
    errors = await run_in_thread_if_many(len(parsed.errors), parsed.errors_by_index)
    for index, attributes in enumerate(bodies):
        if attributes is None:
            errors[index] = Errors.single(WRAPPER, NOT_AN_OBJECT)
    valid = {index: employee for index, employee in parsed.employees.items() if index not in errors}
    created = await bulk_create.insert_employees(tx, client_id, list(valid.values()))
    by_index: dict[int, CreatedEmployee] = dict(zip(valid, created, strict=True))
    return [
        EmployeeResult(
            by_index[index].id if index in by_index else None,
            by_index[index].number if index in by_index else None,
            errors.get(index, Errors()),
            parsed.warnings[index],
        )
        for index in range(len(elements))
    ]


def _attributes(element: object) -> dict[str, Any] | None:
    """Return the attributes of an element, which may be wrapped, or None if it is not an object."""
    attributes = element.get(WRAPPER, element) if isinstance(element, Mapping) else None
    return dict(attributes) if isinstance(attributes, Mapping) else None


def _parse_updates(elements: Sequence[object]) -> list[BulkEntity]:
    return [_parse_update(index, element) for index, element in enumerate(elements)]


def _parse_update(index: int, element: object) -> BulkEntity:
    attributes = _attributes(element)
    if attributes is None:
        return BulkEntity(index, {}, errors=Errors.single("id", NOT_AN_OBJECT))
    outer_id = element.get("id") if isinstance(element, Mapping) else None
    employee_id = parse_id(attributes.pop("id", outer_id))
    entity = BulkEntity(index, {}, employee_id=employee_id, attributes=attributes)
    if employee_id is None:
        entity.errors.add("id", NOT_AN_EMPLOYEE_ID)
    return entity
