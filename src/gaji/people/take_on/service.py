"""What can be asked about take-on balances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.validation import Record, ValidatedInput
from gaji.db.tenancy import Tenant
from gaji.people.take_on.leave_types import load_leave_type_ids
from gaji.people.employees.events import EmployeesChanged
from gaji.people.employees.access import require_readable_employee, lock_employee
from gaji.people.take_on import repository
from gaji.people.take_on.schemas import AMOUNTS, TAKE_ON, of_types, shown


@dataclass(frozen=True)
class TakeOnSummary:
    """What the balances of someone come to, in cents."""

    wage_cents: int
    cpf_cents: int
    has_leave: bool
    """Whether leave was left over."""


async def count_balances(tenant: Tenant, client_id: int, year: int) -> tuple[int, int]:
    """How many employees of a client have balances of a year, and how many of them have leave that was left over."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.counts(tx, client_id, year)


async def load_summaries(tenant: Tenant, client_id: int, year: int, employee_ids: Sequence[int]) -> dict[int, TakeOnSummary]:
    """What the balances of a year come to, of those of these employees who have any."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        rows = await repository.told(tx, client_id, year, employee_ids)
    return {employee_id: TakeOnSummary(*told) for employee_id, *told in rows}


async def read_take_on(tenant: Tenant, employee_id: int) -> Record:
    """The balances of an employee; all zero, for this year, when none were given."""
    async with tenant.reading() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        found = await repository.read(tx, client_id, employee_id)
    nothing = {"year": clock.today().year, **{name: 0 for name, _ in AMOUNTS}, "ir8a": {}, "leave": {}}
    return shown(found or nothing)


async def replace_take_on(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Give an employee these balances in place of those before."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        known = await load_leave_type_ids(tx, client_id)
        reading = TAKE_ON.parse_create(body, of_types(known))
        await repository.replace(tx, client_id, employee_id, reading.record)
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
        return reading
