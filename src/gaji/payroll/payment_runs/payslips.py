"""The payslips of payment runs. Callers hold the lock on the client's drafts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date

import asyncpg

from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.json_lists import Filters, ListPage
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips.calculation import THREAD_THRESHOLD, calculate_drafts
from gaji.payroll.payslips.catalogues import CaptionsByVersion, load_captions
from gaji.payroll.payslips.draft_periods import PeriodKey, service_in_period
from gaji.payroll.payslips.drafts import Draft, draft_from_row
from gaji.payroll.payslips.employment_context import EmploymentContext, load_context
from gaji.payroll.payslips.rendering import add_data
from gaji.payroll.payslips.repository import drafts as draft_repository
from gaji.payroll.payslips.repository import runs as repository
from gaji.people.wave_periods.queries import WaveInterval
from gaji.tasks.queue import enqueue

OPEN_TASK = "open_payment_runs"
"""The task that adds the payslips of large runs."""
SYNCHRONOUS_LIMIT = 100
"""Up to this many payslips are calculated while the caller waits. More are calculated by a task."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """The identity of a payment run."""

    client_id: int
    id: int
    period: PeriodKey
    special: bool
    corrects: int | None = None
    """The run that it corrects."""


@dataclass(frozen=True, slots=True)
class PayslipCounts:
    """The number of payslips of a run, by state."""

    payslips: int
    calculated: int
    dirty: int
    attention: int
    total: int
    """The nett pay of the calculated payslips, in cents."""
    nothing: int = 0
    """How many of the calculated payslips pay nothing."""
    without_hours: int = 0
    """How many of the calculated payslips pay regular hours because none were entered."""
    rules_versions: Sequence[str] = ()
    """The rules versions of the calculated payslips."""


COUNTED = tuple(field.name for field in fields(PayslipCounts) if field.name != "rules_versions")


@dataclass(frozen=True, slots=True)
class RunTotal:
    """The nett pay of a run that is not finalised."""

    cents: int
    dirty: int
    """How many payslips wait for calculation."""
    rules_versions: Sequence[str] = ()
    """Those that the others were calculated with."""

    def __add__(self, other: "RunTotal") -> "RunTotal":
        versions = [*self.rules_versions, *other.rules_versions]
        return RunTotal(self.cents + other.cents, self.dirty + other.dirty, versions)


NO_TOTAL = RunTotal(0, 0)


@dataclass(frozen=True, slots=True)
class BlockedPayslip:
    """A payslip that cannot be finalised, and why."""

    id: int
    employee_id: int
    dirty: bool
    attention: Sequence[str]


@dataclass(frozen=True, slots=True)
class LaterPayslip:
    """A finalised payslip that comes after those of a run."""

    id: int
    corrected_end: date | None
    """The end of the period that its run corrects. None if its run is not a correction."""
    date: date
    employee_id: int
    payment_run_id: int


@dataclass(frozen=True, slots=True)
class FinaliseResult:
    """The payslips that were finalised."""

    employee_ids: Sequence[int]
    payslips: int
    total: int
    rules_versions: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunContent:
    """What the payslips of a run pay."""

    payslips: int
    total: int
    fingerprint: str
    """Changes if anything that the payslips show changes."""


async def load_content(tx: Transaction, run: RunKey) -> RunContent:
    """Load what the payslips of a run pay."""
    return RunContent(**await repository.load_content(tx, run.client_id, run.id))


async def first_draft_before(tx: Transaction, client_id: int, period: PeriodKey) -> date | None:
    """Return the date of the wave's first regular draft in an earlier period."""
    return await repository.first_draft_before(tx, client_id, *period)


async def count_waiting(tx: Transaction, client_id: int, period: PeriodKey) -> int:
    """Count the regular drafts of a period that belong to no run."""
    return await repository.count_waiting(tx, client_id, *period)


async def claim_drafts(tx: Transaction, run: RunKey, after: int = 0, limit: int = SYNCHRONOUS_LIMIT) -> list[Draft]:
    """Lock drafts of the run's period that belong to no run, of the next employees after one."""
    rows = await repository.claim_drafts(tx, run.client_id, *run.period, after, limit)
    return [draft_from_row(row) for row in rows]


async def attach_drafts(tx: Transaction, run: RunKey, drafts: Sequence[Draft]) -> None:
    """Calculate claimed drafts and attach them to the run."""
    context = await load_context(tx, run.client_id, [draft.employee_id for draft in drafts])
    await calculate_drafts(tx, run.client_id, drafts, context, payment_run_id=run.id)


async def create_special_drafts(
    tx: Transaction, run: RunKey, employee_ids: Sequence[int], context: EmploymentContext
) -> None:
    """Create a once-off payslip in the run for each employee."""
    period = context.waves[run.period.wave_id].period(run.period.offset, special=True)
    columns = (*run.period, period.start, period.end, period.pay_date, run.id)
    rows = await repository.insert_special(tx, run.client_id, [(employee_id, *columns) for employee_id in employee_ids])
    await _calculate_or_queue(tx, run, [draft_from_row(row) for row in rows], context)


async def recalculate(tx: Transaction, run: RunKey) -> int:
    """Attach remaining drafts and calculate all drafts of a run again, many in a task. Returns their number."""
    if not run.special:
        await repository.attach_drafts(tx, run.client_id, *run.period, run.id)
    drafts = [draft_from_row(row) for row in await repository.lock_drafts(tx, run.client_id, run.id)]
    await _calculate_or_queue(tx, run, drafts)
    return len(drafts)


async def finalise(tx: Transaction, run: RunKey) -> FinaliseResult:
    """Finalise the payslips of a run, and create the drafts that follow."""
    result = FinaliseResult(**await repository.finalise(tx, run.client_id, run.id))
    await recalculation.create_next_drafts(tx, run.client_id, result.employee_ids)
    return result


async def unfinalise(tx: Transaction, run: RunKey) -> int:
    """Turn the payslips of a run into drafts again, and withdraw the drafts that followed. Returns their number."""
    employee_ids = await repository.unfinalise(tx, run.client_id, run.id)
    if not run.special:
        employee_ids += await repository.attach_drafts(tx, run.client_id, *run.period, run.id)
    await recalculation.create_next_drafts(tx, run.client_id, employee_ids)
    return len(employee_ids)


async def load_blocked(tx: Transaction, run: RunKey, limit: int) -> tuple[list[BlockedPayslip], int]:
    """Load the payslips of a run that cannot be finalised, up to a limit, and their total number."""
    rows = await repository.list_blocked(tx, run.client_id, run.id, limit)
    blocked = [BlockedPayslip(row["id"], row["employee_id"], row["dirty"], row["attention"]) for row in rows]
    return blocked, rows[0]["total"] if rows else 0


async def find_later_finalised(tx: Transaction, run: RunKey) -> LaterPayslip | None:
    """Find a finalised payslip of one of the run's employees with a later date, or finalised later on the same date."""
    row = await repository.find_later_finalised(tx, run.client_id, run.id)
    return LaterPayslip(**row) if row else None


async def release(tx: Transaction, run: RunKey) -> None:
    """Release the payslips of a run to employees."""
    payslip_ids = await repository.release(tx, run.client_id, run.id)
    tx.emit(ResourceEvent(EventType.PAYSLIP_RELEASED, run.client_id, tuple(payslip_ids)))


async def detach_drafts(tx: Transaction, run: RunKey) -> None:
    """Detach the regular drafts of a run, and delete its once-off drafts with their entries."""
    await repository.detach_drafts(tx, run.client_id, run.id)


async def load_counts(tx: Transaction, run: RunKey, *, opening: bool = False) -> PayslipCounts:
    """Count the payslips of a run by state. While it is opening, drafts that are not attached yet count as dirty."""
    if opening and run.corrects is not None:
        rows = await repository.counts_of_correction(tx, run.client_id, run.id)
    elif opening:
        rows = await repository.counts_of_period(tx, run.client_id, *run.period)
    else:
        rows = await repository.counts(tx, run.client_id, run.id)
    counts = {name: sum(row[name] for row in rows) for name in COUNTED}
    return PayslipCounts(**counts, rules_versions=_calculated_versions(rows))


async def load_totals(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> dict[int, RunTotal]:
    """Return the totals of runs, by run. Runs without payslips are left out."""
    totals: dict[int, RunTotal] = {}
    for row in await repository.list_totals(tx, client_id, run_ids):
        total = RunTotal(row["total"], row["dirty"], _calculated_versions([row]))
        totals[row["payment_run_id"]] = totals.get(row["payment_run_id"], NO_TOTAL) + total
    return totals


def _calculated_versions(rows: Sequence[asyncpg.Record]) -> list[str]:
    """Return the rules versions that some payslips were calculated with. Each row counts the payslips of one."""
    return [row["rules_version"] for row in rows if row["calculated"] and row["rules_version"]]


async def list_payslips(
    tx: Transaction, run: RunKey, page: ListPage | None, filters: Filters
) -> tuple[tuple[list[str], int], set[str]]:
    """List the payslips of a run as JSON with their items, with the total count and their rules versions."""
    rows, total = await repository.list_elements(tx, run.client_id, run.id, page, filters)
    captions = await load_captions(tx, run.client_id, {row["catalogue_version"] for row in rows})
    if len(rows) > THREAD_THRESHOLD:
        elements = await asyncio.to_thread(_elements, rows, captions)
    else:
        elements = _elements(rows, captions)
    return (elements, total), {row["rules_version"] for row in rows} - {None}


def _elements(rows: Sequence[asyncpg.Record], captions: CaptionsByVersion) -> list[str]:
    return [
        add_data(
            f'{row["element"][:-1]},"employee_id":{row["employee_id"]}}}',
            row["lines"],
            captions[row["catalogue_version"]],
        )
        for row in rows
    ]


def serves(context: EmploymentContext, employee_id: int, key: PeriodKey, *, any_wave: bool = False) -> bool:
    """Return whether an employee is in service in a period, paid by its wave or by any wave."""
    period = context.waves[key.wave_id].period(key.offset)
    intervals = context.paid_intervals.get(employee_id, ())
    wave_ids = {interval.wave_id for interval in intervals} if any_wave else {key.wave_id}
    return any(service_in_period(intervals, wave_id, period) for wave_id in wave_ids)


def last_day_before(context: EmploymentContext, employee_id: int, key: PeriodKey) -> WaveInterval | None:
    """Return the last days of service of an employee who left before a period, with the wave that paid for them."""
    intervals = context.paid_intervals.get(employee_id, ())
    start = context.waves[key.wave_id].schedule.start(key.offset)
    if not intervals or any(interval.end is None or interval.end >= start for interval in intervals):
        return None
    return intervals[-1]


async def _calculate_or_queue(
    tx: Transaction, run: RunKey, drafts: Sequence[Draft], context: EmploymentContext | None = None
) -> None:
    client_id = run.client_id
    if len(drafts) > SYNCHRONOUS_LIMIT:
        await draft_repository.mark_dirty(tx, client_id, [draft.id for draft in drafts])
        await repository.insert_queued_calculation(tx, client_id, run.id)
        await enqueue(tx, recalculation.TASK, client_id)
    elif drafts:
        context = context or await load_context(tx, client_id, [draft.employee_id for draft in drafts])
        await calculate_drafts(tx, client_id, drafts, context)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_CALCULATED, client_id, (run.id,)))
