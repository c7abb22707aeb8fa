"""Which payslips are meant when many are named at once, by id or by date."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.periods.locks import lock_drafts_shared
from gaji.payroll.payslips.repository import selection as store


@dataclass(frozen=True)
class Target:
    """A payslip that is named."""

    id: int
    employee_id: int
    date: date
    finalised: bool
    special: bool


@dataclass(frozen=True)
class Targets:
    """The payslips that are named; none of them is finalised or taken back until the transaction ends."""

    by_id: dict[int, Target]
    by_date: dict[tuple[int, date], Target]
    """The regular ones, by employee and end of period."""


async def targets(
    tx: Transaction, client_id: int, payslip_ids: Iterable[int], dates: Iterable[tuple[int, date]]
) -> Targets:
    """The payslips with these ids, and the regular ones of these employees and dates."""
    await lock_drafts_shared(tx, client_id)
    ids, named = list(payslip_ids), list(dates)
    rows = await store.named(tx, client_id, ids, [one for one, _ in named], [day for _, day in named])
    found = [Target(*row) for row in rows]
    return Targets(
        by_id={one.id: one for one in found},
        by_date={(one.employee_id, one.date): one for one in found if not one.special},
    )
