"""A payment run as its use cases know it, and how they get hold of one."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import asyncpg

from gaji.core.errors import Conflict, NotFound
from gaji.db.tenancy import Transaction
from gaji.identity.service import require_writer
from gaji.payroll.payment_runs import repository
from gaji.periods.locks import lock_drafts_exclusive
from gaji.payroll.payslips.rules import Place
from gaji.payroll.payment_runs.payslips import Run


@dataclass(frozen=True, slots=True)
class PaymentRun:
    """A run and its state."""

    of: Run
    period_end_date: date
    opening: bool
    """A job is still taking up its payslips."""
    finalised: bool
    released: bool
    posted: bool
    """Its journal is in the accounting system."""

    @property
    def client_id(self) -> int:
        """Its client."""
        return self.of.client_id

    @property
    def id(self) -> int:
        """Its id."""
        return self.of.id

    def require_not_finalised(self, wish: str) -> None:
        """Refuse a wish that is only possible before a run is finalised."""
        if self.finalised:
            raise Conflict(f"Payment run {self.id} of {self.period_end_date} is finalised, so it cannot be {wish}")

    def require_open(self, wish: str) -> None:
        """Refuse a wish that is only possible when a run is opened, and before it is finalised."""
        self.require_not_finalised(wish)
        if self.opening:
            raise Conflict(f"Payment run {self.id} of {self.period_end_date} is still being opened; try again shortly")

    def require_finalised(self, wish: str) -> None:
        """Refuse a wish that is only possible when a run is finalised."""
        if not self.finalised:
            raise Conflict(f"Payment run {self.id} of {self.period_end_date} is not finalised, so it cannot be {wish}")


def run_of(row: asyncpg.Record) -> PaymentRun:
    """The run that a row holds."""
    return PaymentRun(
        of=Run(row["client_id"], row["id"], Place(row["wave_id"], row["period_offset"]), row["special"]),
        period_end_date=row["period_end_date"],
        opening=row["state"] == "opening",
        finalised=row["finalised"],
        released=row["released"],
        posted=row["posted_to_accounting_system"],
    )


async def run_for_change(tx: Transaction, run_id: int, *, alone: bool) -> PaymentRun:
    """A run that the caller may change, locked until the transaction ends; with the client's drafts held, if wanted.

    A run that is just being opened is not waited for: the job that does it may need the drafts that are held here.
    """
    client_id: int = await repository.client_of(tx, run_id) or missing(run_id)
    await require_writer(tx, client_id)
    if alone:
        await lock_drafts_exclusive(tx, client_id)
    try:
        return run_of(await repository.for_change(tx, client_id, run_id) or missing(run_id))
    except asyncpg.LockNotAvailableError:
        raise Conflict(
            f"Payment run {run_id} is being opened or changed by another request; try again shortly"
        ) from None


async def run_for_reading(tx: Transaction, run_id: int) -> PaymentRun:
    """A run that the caller may see."""
    return run_of(await repository.element(tx, run_id) or missing(run_id))


def missing(run_id: int) -> Any:
    """Refuse a run that there is not."""
    raise NotFound(f"There is no payment run {run_id}")
