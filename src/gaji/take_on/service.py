"""What can be asked about take-on balances."""

from collections.abc import Mapping
from typing import Any

from gaji import clock
from gaji.attributes import Reading, Record
from gaji.db.tenancy import Tenant
from gaji.employees.identity import readable_employee, writable_employee
from gaji.payslips.recalculation import employee_changed
from gaji.take_on import store
from gaji.take_on.rules import AMOUNTS, TAKE_ON, shown


async def read_take_on(tenant: Tenant, employee_id: int) -> Record:
    """The balances of an employee; all zero, for this year, when none were given."""
    async with tenant.reading() as tx:
        client_id = await readable_employee(tx, employee_id)
        found = await store.read(tx, client_id, employee_id)
    nothing = {"year": clock.today().year, **{name: 0 for name, _ in AMOUNTS}, "ir8a": {}, "leave": {}}
    return shown(found or nothing)


async def replace_take_on(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> Reading:
    """Give an employee these balances in place of those before."""
    async with tenant.transaction() as tx:
        client_id = await writable_employee(tx, employee_id)
        reading = TAKE_ON.read_new(body)
        await store.replace(tx, client_id, employee_id, reading.record)
        await employee_changed(tx, client_id, employee_id)
        return reading
