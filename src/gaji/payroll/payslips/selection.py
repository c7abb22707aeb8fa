"""Payslips that a request names by id or by date."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.periods.locks import lock_drafts_shared


@dataclass(frozen=True)
class PayslipTarget:
    """A payslip that a request names."""

    id: int
    employee_id: int
    date: date
    finalised: bool
    special: bool
    is_correction: bool
    """Whether it belongs to a correction run."""


@dataclass(frozen=True)
class PayslipTargets:
    """The named payslips. None of them is finalised or unfinalised until the transaction ends."""

    by_id: dict[int, PayslipTarget]
    by_date: dict[tuple[int, date], PayslipTarget]
    """The regular payslips, by employee and period end."""


async def lock_targets(
    tx: Transaction, client_id: int, payslip_ids: Iterable[int], dates: Iterable[tuple[int, date]]
) -> PayslipTargets:
    """Load the payslips with these ids, and the regular payslips of these employees and dates."""
    await lock_drafts_shared(tx, client_id)
    pairs = list(dates)
    rows = await tx.fetch(
        "SELECT id, employee_id, date, finalised, special, corrects IS NOT NULL AS is_correction FROM payslips "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND NOT withdrawn UNION "
        "SELECT p.id, p.employee_id, p.date, p.finalised, p.special, false "
        "FROM (SELECT $1::bigint AS client_id, named.* "
        "FROM unnest($3::bigint[], $4::date[]) AS named(employee_id, date) OFFSET 0) n "
        "CROSS JOIN LATERAL (SELECT * FROM payslips WHERE client_id = n.client_id AND employee_id = n.employee_id "
        "AND date = n.date AND NOT special AND NOT withdrawn OFFSET 0) p",
        client_id,
        list(payslip_ids),
        [employee_id for employee_id, _ in pairs],
        [day for _, day in pairs],
    )
    targets = [PayslipTarget(**row) for row in rows]
    return PayslipTargets(
        by_id={target.id: target for target in targets},
        by_date={(target.employee_id, target.date): target for target in targets if not target.special},
    )
