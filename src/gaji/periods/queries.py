"""Queries about the periods that payslips cover."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction


@dataclass(frozen=True, slots=True)
class PaidPeriod:
    """The period of a regular payslip."""

    payslip_id: int
    start: date
    end: date
    finalised: bool

    def contains(self, day: date) -> bool:
        """Return whether a day is in the period."""
        return self.start <= day <= self.end


async def load_paid_periods(
    tx: Transaction, client_id: int, employee_id: int, days: Collection[date]
) -> list[PaidPeriod]:
    """Load the periods of an employee's regular payslips from the first to the last of these days."""
    if not days:
        return []
    rows = await tx.fetch(
        "SELECT id, start_date, date, finalised FROM payslips WHERE client_id = $1 AND employee_id = $2 "
        "AND NOT special AND NOT withdrawn AND date >= $3 AND start_date <= $4 ORDER BY date",
        client_id,
        employee_id,
        min(days),
        max(days),
    )
    return [PaidPeriod(row["id"], row["start_date"], row["date"], row["finalised"]) for row in rows]


async def find_last_finalised_end(tx: Transaction, client_id: int) -> date | None:
    """Return the last day of the client's latest finalised period. Once-off payslips do not count."""
    end: date | None = await tx.fetchval(
        "SELECT max(date) FROM payslips WHERE client_id = $1 AND finalised AND NOT special", client_id
    )
    return end


async def find_last_finalised_end_of_employee(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """Return the last day of the employee's latest finalised payslip."""
    end: date | None = await tx.fetchval(
        "SELECT max(date) FROM payslips WHERE client_id = $1 AND employee_id = $2 AND finalised", client_id, employee_id
    )
    return end


async def find_first_finalised_start(tx: Transaction, client_id: int, employee_id: int, since: date) -> date | None:
    """Return the first day of the employee's earliest finalised payslip that ends on or after a day."""
    start: date | None = await tx.fetchval(
        "SELECT min(start_date) FROM payslips WHERE client_id = $1 AND employee_id = $2 AND finalised AND date >= $3",
        client_id,
        employee_id,
        since,
    )
    return start
