"""What employees had earned in a year before the company moved in, for those who calculate what they are paid."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction
from gaji.engine.cases import YearToDate
from gaji.take_on import store


async def balances(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, tuple[int, YearToDate]]:
    """The year of an employee's take-on balances with what they say of its wages, by employee."""
    rows = await store.wages(tx, client_id, employee_ids)
    return {employee_id: (year, YearToDate(*wages)) for employee_id, year, *wages in rows}
