"""Totals of finalised payslips for CPF and bank files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository import statutory_totals as repository


@dataclass(frozen=True, slots=True)
class MonthTotals:
    """The totals of one employee's finalised payslips in a month, in cents."""

    employee_id: int
    ordinary: int
    additional: int
    cpf: int
    """Both shares."""
    mbmf: int
    sinda: int
    cdac: int
    ecf: int
    levy: int
    sdl: int
    finalised_at: datetime
    """When the last of the payslips was finalised."""
    rules_versions: Sequence[str]


@dataclass(frozen=True, slots=True)
class NettPay:
    """The payment of a finalised payslip."""

    payslip_id: int
    employee_id: int
    cents: int
    pay_date: date
    finalised_at: datetime
    released_at: datetime | None
    """When a payment that was withheld for tax clearance was released."""


async def load_month_totals(tx: Transaction, client_id: int, first: date, last: date) -> list[MonthTotals]:
    """Load the totals of the finalised payslips dated in a month, by employee."""
    return [MonthTotals(**row) for row in await repository.load_month_totals(tx, client_id, first, last)]


async def load_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[NettPay]:
    """Load the payments of a finalised run, by employee."""
    return [NettPay(**row) for row in await repository.load_nett_pays(tx, client_id, payment_run_id)]


async def delete_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Withhold the payments of a run again, because its payslips are drafts again."""
    await repository.delete_releases(tx, client_id, payment_run_id)


async def release_payment(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Release a payment that was withheld for tax clearance."""
    await repository.release_payment(tx, client_id, payslip_id)
