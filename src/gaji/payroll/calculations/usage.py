"""Who uses a custom item, for those who want to change or remove it."""

from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import repository


@dataclass(frozen=True)
class Uses:
    """What is entered for a custom item."""

    profiles: tuple[int, ...]
    """The profiles that have it."""
    calculations: int
    """How many calculations of the client, of employees and of payslips are of it."""


async def uses(tx: Transaction, client_id: int, definition_id: int) -> Uses:
    """What is entered for a custom item of a client."""
    row = await repository.uses(tx, client_id, definition_id)
    return Uses(tuple(row["profiles"]), row["calculations"])
