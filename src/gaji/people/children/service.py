"""Use cases of children."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.core.errors import NotFound
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.children import repository
from gaji.people.children.adjustments import find_child_leave_adjustments
from gaji.people.children.schemas import CHILD, ChildInput, child_rule
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee
from gaji.people.employees.events import EmployeesChanged


async def list_children(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the children of an employee as JSON, with the total count."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await repository.list_elements(tx, client_id, employee_id, page, filters)


async def create_child(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ChildInput]]:
    """Add a child to an employee."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        adjusted_on = await find_child_leave_adjustments(tx, client_id, [employee_id])
        validated = CHILD.parse_create(body, child_rule(adjusted_on.get(employee_id)))
        child_id = await repository.insert(tx, client_id, employee_id, validated.data)
        _emit(tx, client_id, employee_id)
        return child_id, validated


async def update_child(tenant: Tenant, child_id: int, body: Mapping[str, Any]) -> ValidatedInput[ChildInput]:
    """Update a child."""
    async with tenant.transaction() as tx:
        row = await _lock_child(tx, child_id)
        current = {attribute.name: row[attribute.name] for attribute in CHILD.attributes}
        validated = CHILD.parse_update(body, current, child_rule(None))
        await repository.update(tx, row["client_id"], child_id, validated.data)
        _emit(tx, row["client_id"], row["employee_id"])
        return validated


async def delete_child(tenant: Tenant, child_id: int) -> None:
    """Delete a child."""
    async with tenant.transaction() as tx:
        row = await _lock_child(tx, child_id)
        await repository.delete(tx, row["client_id"], child_id)
        _emit(tx, row["client_id"], row["employee_id"])


def _emit(tx: Transaction, client_id: int, employee_id: int) -> None:
    tx.emit(EmployeesChanged(client_id, (employee_id,)))
    tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))


async def _lock_child(tx: Transaction, child_id: int) -> asyncpg.Record:
    """Lock the employee of a child, then load the child again."""
    row = await repository.load_child(tx, child_id)
    if row is not None:
        await lock_employee_for_pay_change(tx, row["employee_id"])
        row = await repository.load_child(tx, child_id)
    if row is None:
        raise NotFound(f"Child {child_id} does not exist")
    return row
