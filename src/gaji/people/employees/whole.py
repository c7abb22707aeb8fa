"""Employees as all that can be written of them, for those who show it or hold other things against it.

Identifiers are opened here also for a caller who may not see them: whoever asks masks them.
"""

from collections.abc import Sequence

from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository


async def load_employee_records(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Record]:
    """These employees as their writable attributes, by id."""
    return await repository.records(tx, client_id, employee_ids)
