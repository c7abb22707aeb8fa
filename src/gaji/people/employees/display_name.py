"""Who employees are to the people who work with them, and holding many of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.people.employees import repository

LAST_NAME_FIRST, ONE_NAME = 2, 3


@dataclass(frozen=True)
class EmployeeLabel:
    """An employee by name and number."""

    number: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"


async def lock_employees(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeLabel]:
    """Those of these employees that there are in a client; nobody else changes them until the transaction ends."""
    rows = await repository.hold_many(tx, client_id, employee_ids)
    return {row["id"]: EmployeeLabel(row["number"], full_name(*row[2:])) for row in rows}


def full_name(first_name: str, last_name: str, name_format: int) -> str:
    """The name in the order that its format says.

    >>> full_name("Mei Ling", "Tan", 1), full_name("Mei Ling", "Tan", 2), full_name("Suharto", "", 3)
    ('Mei Ling Tan', 'Tan Mei Ling', 'Suharto')
    """
    if name_format == ONE_NAME:
        return first_name
    parts = (last_name, first_name) if name_format == LAST_NAME_FIRST else (first_name, last_name)
    return " ".join(part for part in parts if part)
