"""Which client an employee belongs to, and what the caller may do with them: what other resources ask first."""

from gaji.accounts.service import require_writer
from gaji.db.tenancy import Transaction
from gaji.employees import store
from gaji.errors import Forbidden, NotFound


async def readable_employee(tx: Transaction, employee_id: int) -> int:
    """The client of an employee that the caller may see."""
    return await store.client_of(tx, employee_id) or _missing(employee_id)


async def writable_employee(tx: Transaction, employee_id: int) -> int:
    """The client of an employee that the caller may change; nobody else changes them until the transaction ends."""
    client_id = await store.client_of(tx, employee_id, lock=True)
    if client_id is None:
        await readable_employee(tx, employee_id)
        raise Forbidden("The role employee may read its own record but not change it")
    await require_writer(tx, client_id)
    return client_id


def _missing(employee_id: int) -> int:
    raise NotFound(f"There is no employee {employee_id}")
