"""What finalised payslips come to, for those who make files for boards and banks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository import statutory_totals as store


@dataclass(frozen=True, slots=True)
class MonthFigures:
    """What the finalised payslips of one employee and month come to, in cents."""

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
    """When the last of them was."""
    rules_versions: Sequence[str]


@dataclass(frozen=True, slots=True)
class NettPay:
    """What a finalised payslip pays."""

    payslip_id: int
    employee_id: int
    cents: int
    pay_date: date
    finalised_at: datetime
    released_at: datetime | None
    """When it was let go, if taxes had to be cleared first."""


async def month_figures(tx: Transaction, client_id: int, first: date, last: date) -> list[MonthFigures]:
    """What the finalised payslips that are dated in a month come to, by employee."""
    return [MonthFigures(*row) for row in await store.month_figures(tx, client_id, first, last)]


async def nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[NettPay]:
    """What the payslips of a finalised run pay, by employee."""
    return [NettPay(*row) for row in await store.nett_pays(tx, client_id, payment_run_id)]


async def forget_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Withhold again what was let go of a run whose payslips are drafts again."""
    await store.forget_releases(tx, client_id, payment_run_id)


async def release_payment(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Let a payslip be paid although taxes have to be cleared first."""
    await store.release_payment(tx, client_id, payslip_id)
