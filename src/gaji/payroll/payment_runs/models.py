"""A payment run, and how use cases load and lock it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NoReturn

import asyncpg

from gaji.core.errors import Conflict, InProgress, NotFound
from gaji.db.tenancy import Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.payslips import RunKey
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.periods.locks import lock_drafts_exclusive


@dataclass(frozen=True, slots=True)
class PaymentRun:
    """A payment run and its state."""

    key: RunKey
    period_end_date: date
    opening: bool
    """A task is still attaching its payslips."""
    finalised: bool
    released: bool
    posted: bool
    """Its journal is in the accounting system."""
    payment_date: date | None
    """The day on which it is paid. None: the pay date of its payslips."""
    paid: bool
    rules_versions: Sequence[str]
    """Those that the payslips of a finalised run were calculated with."""

    @property
    def client_id(self) -> int:
        """The client of the run."""
        return self.key.client_id

    @property
    def id(self) -> int:
        """The id of the run."""
        return self.key.id

    def require_not_finalised(self, action: str) -> None:
        """Reject an action that is only possible before a run is finalised."""
        if self.finalised:
            raise Conflict(f"Payment run {self.id} of {self.period_end_date} is finalised and cannot be {action}")

    def require_open(self, action: str) -> None:
        """Reject an action that is only possible on an open run with all its payslips."""
        self.require_not_finalised(action)
        self.require_opened()

    def require_opened(self) -> None:
        """Reject an action that is only possible when all payslips are attached."""
        if self.opening:
            raise InProgress(
                f"Payment run {self.id} of {self.period_end_date} is still being opened; try again shortly"
            )

    def require_not_paid(self, action: str) -> None:
        """Reject an action that is only possible before a run is paid."""
        if self.paid:
            raise Conflict(
                f"Payment run {self.id} of {self.period_end_date} is marked as paid and cannot be {action}; "
                "mark it as not paid first"
            )

    def require_finalised(self, action: str) -> None:
        """Reject an action that is only possible on a finalised run."""
        if not self.finalised:
            raise Conflict(f"Payment run {self.id} of {self.period_end_date} is not finalised and cannot be {action}")


def run_from_row(row: asyncpg.Record) -> PaymentRun:
    """Build a run from its row."""
    return PaymentRun(
        key=RunKey(
            row["client_id"],
            row["id"],
            PeriodKey(row["wave_id"], row["period_offset"]),
            row["special"],
            row["corrects"],
        ),
        period_end_date=row["period_end_date"],
        opening=row["state"] == "opening",
        finalised=row["finalised"],
        released=row["released"],
        posted=row["posted_to_accounting_system"],
        payment_date=row["payment_date"],
        paid=row["paid"],
        rules_versions=row["rules_versions"] or (),
    )


async def lock_run(tx: Transaction, run_id: int, *, lock_drafts: bool) -> PaymentRun:
    """Lock a run that the caller may change, and optionally the client's drafts.

    A run that is being opened is rejected and not waited for: the task that opens it may need the drafts.
    """
    client_id = await repository.client_of(tx, run_id)
    if client_id is None:
        raise_not_found(run_id)
    await require_writer(tx, client_id)
    if lock_drafts:
        await lock_drafts_exclusive(tx, client_id)
    try:
        row = await repository.lock_run(tx, client_id, run_id)
    except asyncpg.LockNotAvailableError:
        raise InProgress(
            f"Payment run {run_id} is being opened or changed by another request; try again shortly"
        ) from None
    if row is None:
        raise_not_found(run_id)
    return run_from_row(row)


async def load_run(tx: Transaction, run_id: int) -> PaymentRun:
    """Load a run that the caller may see."""
    return run_from_row(await load_run_row(tx, run_id))


async def load_run_row(tx: Transaction, run_id: int) -> asyncpg.Record:
    """Load the row of a run that the caller may see."""
    row = await repository.element(tx, run_id)
    if row is None:
        raise_not_found(run_id)
    return row


def raise_not_found(run_id: int) -> NoReturn:
    """Raise NotFound for a run."""
    raise NotFound(f"Payment run {run_id} does not exist")
