"""Who employees are to boards and banks, for those who make files for them.

Identifiers are opened here also for a caller who may not see them: whoever asks keeps them to the file.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import asyncpg

from gaji.core.vault import Vault
from gaji.db.tenancy import Transaction
from gaji.people.employees import repository
from gaji.people.employees.display_name import EmployeeLabel, full_name

FEW = 200
"""So many rows are opened sooner than handed to a thread."""
NAMES = ("number", "first_name", "last_name", "name_format")
NUMBERS = ("nric_sealed", "fin_sealed")
ACCOUNT = ("account_number_sealed",)

Filed = TypeVar("Filed")


@dataclass(frozen=True, slots=True)
class EmployeeIds:
    """An employee with the numbers that the state knows them by."""

    employee: EmployeeLabel
    nric: str | None
    fin: str | None


@dataclass(frozen=True, slots=True)
class PaymentDetails:
    """An employee and the way that they are paid."""

    employee: EmployeeLabel
    payment_method: str
    bank_id: int | None
    branch_code: str | None
    account_number: str | None


async def load_identity_numbers(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, EmployeeIds]:
    """The numbers of these employees, by employee."""
    rows = await repository.columns(tx, client_id, employee_ids, [*NAMES, *NUMBERS])
    return await _opened(rows, lambda row: _identified(tx.vault, client_id, row))


async def load_payment_details(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, PaymentDetails]:
    """How these employees are paid, by employee."""
    rows = await repository.columns(
        tx, client_id, employee_ids, [*NAMES, "payment_method", "bank_id", "branch_code", *ACCOUNT]
    )
    return await _opened(rows, lambda row: _paid(tx.vault, client_id, row))


async def _opened(rows: Sequence[asyncpg.Record], of: Callable[[asyncpg.Record], Filed]) -> dict[int, Filed]:
    def every() -> dict[int, Filed]:
        return {row["id"]: of(row) for row in rows}

    return await asyncio.to_thread(every) if len(rows) > FEW else every()


def _identified(vault: Vault, client_id: int, row: asyncpg.Record) -> EmployeeIds:
    nric, fin = vault.open_row(client_id, "employees", row["id"], NUMBERS, [row[name] for name in NUMBERS])
    return EmployeeIds(_named(row), nric, fin)


def _paid(vault: Vault, client_id: int, row: asyncpg.Record) -> PaymentDetails:
    [number] = vault.open_row(client_id, "employees", row["id"], ACCOUNT, [row[name] for name in ACCOUNT])
    return PaymentDetails(_named(row), row["payment_method"], row["bank_id"], row["branch_code"], number)


def _named(row: asyncpg.Record) -> EmployeeLabel:
    return EmployeeLabel(row["number"], full_name(row["first_name"], row["last_name"], row["name_format"]))
