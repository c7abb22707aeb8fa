"""A retro proposal, stored or computed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.engine.payslip_input import PastDifference
from gaji.payroll.corrections.differences import EarlierCorrections
from gaji.payroll.retro_proposals.queries import decode_differences

OPEN, ACCEPTED, DECLINED, PAID = "open", "accepted", "declined", "paid"


@dataclass(frozen=True)
class RetroProposal:
    """Differences of finalised payslips of one employee that are treated in the same way."""

    employee_id: int
    treatment: str
    differences: Sequence[PastDifference]
    id: int | None = None
    """None for differences that are in no proposal yet."""
    status: str = OPEN
    payslip_id: int | None = None
    """The payslip that pays them."""
    includes_pay: bool = False
    is_correction: bool = False
    """Whether the payslip that pays them belongs to a correction run."""
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def total_cents(self) -> int:
        """The effect on pay, before contributions."""
        return sum(difference.total_cents for difference in self.differences)


def proposal_from_row(row: asyncpg.Record) -> RetroProposal:
    """Build a stored proposal."""
    return RetroProposal(
        employee_id=row["employee_id"],
        treatment=row["treatment"],
        differences=decode_differences(row["differences"]),
        id=row["id"],
        status=PAID if row["paid"] else row["status"],
        payslip_id=row["payslip_id"],
        includes_pay=row["includes_pay"],
        is_correction=row["is_correction"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def earlier_corrections(proposals: Iterable[RetroProposal]) -> EarlierCorrections:
    """Add up what proposals already cover."""
    earlier = EarlierCorrections()
    for proposal in proposals:
        for difference in proposal.differences:
            earlier.add(difference, includes_pay=proposal.includes_pay)
    return earlier
