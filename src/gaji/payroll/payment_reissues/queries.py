"""Reissued payments, for other resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_reissues import repository


@dataclass(frozen=True, slots=True)
class PaymentReissue:
    """Payments of a run that are made again."""

    id: int
    payslip_ids: Sequence[int]
    created_at: datetime
    created_by: str | None


async def load_reissues(tx: Transaction, client_id: int, payment_run_id: int) -> list[PaymentReissue]:
    """Load the reissues of a run, in order."""
    return [
        PaymentReissue(row["id"], row["payslip_ids"], row["created_at"].astimezone(SINGAPORE), row["created_by"])
        for row in await repository.load_reissues(tx, client_id, payment_run_id)
    ]
