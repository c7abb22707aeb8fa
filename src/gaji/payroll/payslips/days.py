"""Which payslip a day is paid with, for those who record what was on it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.store import days as store


@dataclass(frozen=True, slots=True)
class PaidPeriod:
    """The regular payslip of a period."""

    payslip_id: int
    start: date
    end: date
    finalised: bool

    def holds(self, day: date) -> bool:
        """Whether a day is in the period."""
        return self.start <= day <= self.end


async def paid_periods(tx: Transaction, client_id: int, employee_id: int, days: Collection[date]) -> list[PaidPeriod]:
    """The regular payslips of an employee that the caller may see, from the first to the last of these days."""
    if not days:
        return []
    return [PaidPeriod(*row) for row in await store.periods(tx, client_id, employee_id, min(days), max(days))]


async def last_finalised_end(tx: Transaction, client_id: int) -> date | None:
    """The last day of the latest period of a client that is finalised."""
    return await store.last_finalised_end(tx, client_id)
