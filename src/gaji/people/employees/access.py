"""Which client an employee belongs to, and what the caller may do with them: what other resources ask first."""

from gaji.core.errors import Forbidden, NotFound
from gaji.db.tenancy import Transaction
from gaji.identity.service import require_writer
from gaji.periods.locks import SHARED_LOCK_SQL, mark_drafts_locked
from gaji.people.employees import repository


async def require_readable_employee(tx: Transaction, employee_id: int) -> int:
    """The client of an employee that the caller may see."""
    return await repository.client_of(tx, employee_id) or _missing(employee_id)


async def lock_employee(tx: Transaction, employee_id: int) -> int:
    """The client of an employee that the caller may change; nobody else changes them until the transaction ends."""
    return await _writable(tx, employee_id, await repository.lock(tx, employee_id))


async def lock_employee_for_pay_change(tx: Transaction, employee_id: int) -> int:
    """The same, with the drafts of the client held open: nothing of the employee is finalised until then."""
    client_id = await _writable(tx, employee_id, await repository.lock(tx, employee_id, SHARED_LOCK_SQL))
    mark_drafts_locked(tx, client_id)
    return client_id


async def _writable(tx: Transaction, employee_id: int, client_id: int | None) -> int:
    if client_id is None:
        await require_readable_employee(tx, employee_id)
        raise Forbidden("The role employee may read its own record but not change it")
    await require_writer(tx, client_id)
    return client_id


def _missing(employee_id: int) -> int:
    raise NotFound(f"There is no employee {employee_id}")
