"""A step of payment runs for several clients: what it is to do, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

import msgspec


class CompanyStep(StrEnum):
    """A step that can be done for several companies."""

    OPEN = "open"
    FINALISE = "finalise"
    MARK_PAID = "mark_paid"
    RELEASE = "release"


class StepFailure(StrEnum):
    """Why nothing was done for a client."""

    CHANGED = "changed"
    """The payslips are not those that the user reviewed."""
    NEEDS_APPROVAL = "needs_approval"
    IN_PROGRESS = "in_progress"
    """Payslips are being calculated or attached."""
    NO_ACCESS = "no_access"
    """The user may no longer change the client, or the payment run was deleted."""
    NOT_VALID = "not_valid"
    CONFLICT = "conflict"
    """The state of the payment run forbids the step."""
    INTERNAL = "internal"


class StepItem(msgspec.Struct, frozen=True):
    """A payment run for which a step is to be done, as the user reviewed it."""

    wave_id: int
    period_end_date: date
    run_id: int | None = None
    """None if the run is to be opened."""
    payslips: int = 0
    payment_date: date | None = None
    """The day on which it was paid, only to mark it as paid."""
    fingerprint: str = ""
    """That of the reviewed payslips, only to finalise them."""


class StepResult(msgspec.Struct, frozen=True):
    """What was done for one payment run."""

    run_id: int
    payslips: int


@dataclass(frozen=True)
class BatchSummary:
    """A step that a user started for several clients, with the number of clients by state."""

    batch: str
    step: CompanyStep
    started_at: datetime
    clients: int
    finished: int
    done: int

    @property
    def is_finished(self) -> bool:
        """Whether nothing waits any more."""
        return self.finished == self.clients


@dataclass(frozen=True)
class ClientStep:
    """A step for one client, and its state."""

    client_id: int
    step: CompanyStep
    items: Sequence[StepItem]
    state: str
    """`queued`, `complete` or `failed`."""
    is_running: bool
    results: Sequence[StepResult]
    """One for each item if it is complete."""
    reason: StepFailure | None
    """Only if it failed."""
