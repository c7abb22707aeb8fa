"""Access of employees to their own leave, which depends on records that they cannot see."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gaji.core.errors import GajiError
from gaji.db.tenancy import Transaction
from gaji.identity.roles import require_writer
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service import repository


async def require_self_or_writer(tx: Transaction, employee_id: int) -> int:
    """Return the client of an employee, or raise Forbidden unless the caller is the employee or can change them."""
    client_id = await require_readable_employee(tx, employee_id)
    if not await repository.is_caller(tx, employee_id):
        await require_writer(tx, client_id)
    return client_id


async def is_own_record(tx: Transaction, employee_id: int) -> bool:
    """Return whether the caller is this employee."""
    return await repository.is_caller(tx, employee_id)


@asynccontextmanager
async def client_view(tx: Transaction, client_id: int) -> AsyncIterator[None]:
    """Let the transaction see all records of a client inside the block.

    Use it only to read, and only for an employee that the caller can see: leave balances and working days depend on the
    company's policies, waves and regular hours. After the block, the caller's own policies apply again.
    In `Tenant.read_only`, whose statements are not in one transaction, it raises an error.
    """
    visible_clients = await repository.load_visible_clients(tx)
    await tx.admit_client(client_id)
    try:
        yield
    except GajiError:
        # The transaction can continue, to store the error for an idempotent retry.
        await repository.set_visible_clients(tx, visible_clients)
        raise
    await repository.set_visible_clients(tx, visible_clients)
