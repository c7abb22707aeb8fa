"""What employees had of a year before the company moved in, for those who calculate what they are paid and owed."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

import msgspec

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import YearToDate
from gaji.law.quantities import MILLI
from gaji.people.take_on import repository

CPF = "cpf"
"""The item that the employee's contributions are on form IR8A."""


async def load_year_to_date(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, tuple[int, YearToDate]]:
    """The year of an employee's take-on balances with what they say of its wages, by employee."""
    rows = await repository.wages(tx, client_id, employee_ids)
    return {employee_id: (year, YearToDate(*wages)) for employee_id, year, *wages in rows}


async def load_opening_leave(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, tuple[int, Mapping[int, int]]]:
    """Of those who had leave left over, by employee: the year, and thousandths of days by leave type."""
    rows = await repository.leave(tx, client_id, employee_ids)
    return {employee_id: (year, _thousandths(kept)) for employee_id, year, kept in rows}


async def load_ir8a_amounts(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, dict[str, int]]:
    """What the balances of a year say of income tax: cents by item of form IR8A, CPF among them, by employee."""
    rows = await repository.taxed(tx, client_id, year, employee_ids)
    return {employee_id: _items(kept, cpf) for employee_id, kept, cpf in rows}


async def has_leave_of_type(tx: Transaction, client_id: int, type_id: int) -> bool:
    """Whether anyone's take-on balances name a leave type."""
    return await repository.has_leave_of_type(tx, client_id, type_id)


def _items(kept: str, cpf_cents: int) -> dict[str, int]:
    items: dict[str, int] = msgspec.json.decode(kept)
    return {item: cents for item, cents in {**items, CPF: cpf_cents}.items() if cents}


def _thousandths(kept: str) -> dict[int, int]:
    """Days are kept as decimal text, with one place more than leave counts in."""
    days: dict[str, str] = msgspec.json.decode(kept)
    return {int(key): int((Decimal(value) * MILLI).to_integral_value(ROUND_HALF_UP)) for key, value in days.items()}
