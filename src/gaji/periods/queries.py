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


@dataclass(frozen=True, slots=True)
class OpenPeriod:
    """Where the open periods of an employee, or of the employees of a profile, begin."""

    draft_start: date | None
    """The first day of the earliest regular draft."""
    last_finalised_end: date | None
    """The last day of the latest finalised regular payslip."""


NEVER_PAID = OpenPeriod(None, None)


def open_period_sql(client_id: str, employee_id: str) -> str:
    """Return the columns of an employee's open period, given SQL expressions of the client and the employee."""
    payslips = f"FROM payslips WHERE client_id = {client_id} AND employee_id = {employee_id} AND NOT special"
    return (
        f"(SELECT min(start_date) {payslips} AND NOT finalised AND NOT withdrawn) AS draft_start, "
        f"(SELECT max(date) {payslips} AND finalised) AS last_finalised_end"
    )


async def load_open_periods(tx: Transaction, client_id: int, employee_ids: Collection[int]) -> dict[int, OpenPeriod]:
    """Load the open periods of employees."""
    rows = await tx.fetch(
        f"SELECT e.id, {open_period_sql('$1', 'e.id')} FROM unnest($2::bigint[]) AS e(id)", client_id, employee_ids
    )
    return {row["id"]: OpenPeriod(row["draft_start"], row["last_finalised_end"]) for row in rows}


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
