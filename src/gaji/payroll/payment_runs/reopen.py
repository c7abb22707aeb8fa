"""What reopening a finalised run affects, and what keeps it from being reopened."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import overview, payslips, repository
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.payslips import RunKey
from gaji.payroll.payslips.repository import runs as payslip_repository
from gaji.payroll.snapshots.queries import load_differences
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.display_name import EmployeeLabel


@dataclass(frozen=True)
class LaterRun:
    """A finalised payslip that was based on the run."""

    employee: EmployeeLabel
    corrected_end: date | None
    """The end of the period that its run corrects. None if its run is not a correction."""
    date: date
    payment_run_id: int


@dataclass(frozen=True)
class ReopenEffects:
    """What reopening a run affects."""

    later: LaterRun | None
    """A later finalised payslip. The run cannot be reopened before it."""
    correction_id: int | None
    """The run that corrects it. The run cannot be reopened before that is deleted."""
    next_drafts: int
    """Drafts of later periods that disappear until the run is finalised again."""
    next_entries: int
    """How many of them have entries of their own, which are kept."""

    @property
    def is_blocked(self) -> bool:
        """Whether the run cannot be reopened yet."""
        return self.later is not None or self.correction_id is not None


class ItemChange(msgspec.Struct, frozen=True):
    """An item whose amount differs, as decimal text. None without the item."""

    item: str | int
    before: str | None
    after: str | None


class PayslipChange(msgspec.Struct, frozen=True):
    """A payslip that differs from the previous finalisation."""

    payslip_id: int
    employee_id: int
    items: Sequence[ItemChange]


class RunChanges(msgspec.Struct, frozen=True):
    """What differs from the previous finalisation of a run."""

    count: int
    payslips: Sequence[PayslipChange]
    """The first of them."""


async def load_effects(tx: Transaction, run: RunKey) -> ReopenEffects:
    """Load what reopening a finalised run affects."""
    later = await payslips.find_later_finalised(tx, run)
    later_run = None
    if later is not None:
        labels = await load_employee_labels(tx, run.client_id, [later.employee_id])
        employee = labels[later.employee_id]
        later_run = LaterRun(employee, later.corrected_end, later.date, later.payment_run_id)
    drafts: Any = await payslip_repository.count_next_drafts(tx, run.client_id, run.id)
    correction_id = await repository.find_correction(tx, run.client_id, run.id)
    return ReopenEffects(later_run, correction_id, drafts["drafts"], drafts["entries"])


async def list_reopenable_runs(tx: Transaction, run: RunKey, effects: ReopenEffects) -> list[RunSummary]:
    """List the later runs that block a run and can be reopened before it, beginning with the first to reopen.

    Empty if something else blocks the run, or if one of them is marked as paid or released.
    """
    if effects.later is None or effects.correction_id is not None:
        return []
    first_id = effects.later.payment_run_id
    run_ids = await payslip_repository.list_later_runs(tx, run.client_id, run.id)
    later = await overview.list_runs(tx, run.client_id, run_ids=run_ids)
    if any(item.paid_at or item.released for item in later):
        return []
    first = await overview.load_header(tx, first_id)
    if (await load_effects(tx, first.key)).is_blocked:
        return []
    return sorted(later, key=lambda item: item.id != first_id)


async def find_finalised_correction(tx: Transaction, run: RunKey) -> int | None:
    """Return the latest finalised run that corrects a run."""
    return await repository.find_finalised_correction(tx, run.client_id, run.id)


async def find_correction_before(tx: Transaction, run: RunKey) -> int | None:
    """Return the latest finalised run that corrects the regular run of the previous period."""
    previous = await repository.run_before(tx, run.client_id, *run.period)
    return await repository.find_finalised_correction(tx, run.client_id, previous["id"]) if previous else None


async def load_changes(tx: Transaction, client_id: int, run_id: int) -> RunChanges | None:
    """Load what differs from the previous finalisation of a finalised run. None for the first one."""
    stored = await load_differences(tx, client_id, run_id)
    return msgspec.json.decode(stored, type=RunChanges) if stored else None
