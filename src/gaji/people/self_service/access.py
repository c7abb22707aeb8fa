"""What employees are told about their own leave: it follows from more than they may see themselves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gaji.core.errors import GajiError
from gaji.db.tenancy import Transaction
from gaji.identity.service import require_writer
from gaji.people.employees.access import require_readable_employee
from gaji.people.self_service import access_store as store


async def require_self_or_writer(tx: Transaction, employee_id: int) -> int:
    """The client of an employee for whom the caller may ask: themselves, or anyone whom the caller may change."""
    client_id = await require_readable_employee(tx, employee_id)
    if not await store.is_own(tx, employee_id):
        await require_writer(tx, client_id)
    return client_id


@asynccontextmanager
async def client_view(tx: Transaction, client_id: int) -> AsyncIterator[None]:
    """A block in which a transaction sees all of a client, as the company does.

    For reading alone, and for an employee whom the caller may see: balances and working days go by policies, waves and
    regular hours of the company. What is written afterwards is let through by the caller's own policies or not at all.
    """
    before = await store.seen_clients(tx)
    await tx.admit_client(client_id)
    try:
        yield
    except GajiError:
        # The transaction may go on, to keep the refusal for whoever asks again.
        await store.see_clients(tx, before)
        raise
    await store.see_clients(tx, before)
