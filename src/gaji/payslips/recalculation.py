"""Recalculation: what happens to drafts when something that they go by changes."""

from gaji.db.tenancy import Transaction
from gaji.payslips import store


async def employee_changed(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Give an employee the drafts they should have now, and calculate them in the same transaction."""
    await store.mark_employee(tx, client_id, employee_id)


async def client_changed(tx: Transaction, client_id: int) -> None:
    """Calculate all drafts of a client again: a few at once, many in a job that is asked for in this transaction."""
    await store.mark_client(tx, client_id)
