"""Take-on balance use cases."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.employees.events import EmployeesChanged
from gaji.people.take_on import bulk_changes, queries, repository
from gaji.people.take_on.leave_types import load_leave_type_ids
from gaji.people.take_on.queries import TakeOnSummary
from gaji.people.take_on.schemas import TAKE_ON, TakeOnInput, leave_types_rule, take_on_json


async def count_balances(tenant: Tenant, client_id: int, year: int) -> tuple[int, int]:
    """Count the employees of a client with balances of a year, and those of them with remaining leave."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await queries.count_balances(tx, client_id, year)


async def load_summaries(
    tenant: Tenant, client_id: int, year: int, employee_ids: Sequence[int]
) -> dict[int, TakeOnSummary]:
    """Load the totals of a year's balances, by employee. Employees without balances are left out."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await queries.load_summaries(tx, client_id, year, employee_ids)


async def read_take_on(tenant: Tenant, employee_id: int) -> dict[str, Any]:
    """Return the balances of an employee, or zero balances of this year if there are none."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        balances = await repository.load_balances(tx, client_id, [employee_id])
    return take_on_json(balances.get(employee_id, TakeOnInput(year=clock.today().year)))


async def replace_take_on(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> ValidatedInput[TakeOnInput]:
    """Replace the balances of an employee."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        validated = TAKE_ON.parse_create(body, leave_types_rule(await load_leave_type_ids(tx, client_id)))
        await bulk_changes.save_changes(tx, client_id, {employee_id: validated.data})
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
        tx.emit(ResourceEvent(EventType.EMPLOYEE_UPDATED, client_id, (employee_id,)))
        return validated
