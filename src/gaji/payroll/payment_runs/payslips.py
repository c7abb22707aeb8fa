"""The payslips of payment runs: what runs ask of them. Whoever asks holds the drafts of the client."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from gaji.db.json_lists import Page
from gaji.db.queue import enqueue
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips import employment_context
from gaji.payroll.payslips.calculation import FEW, calculate
from gaji.payroll.payslips.drafts import Draft, draft_of
from gaji.payroll.payslips.rendering import captions, with_data
from gaji.payroll.payslips.employment_context import Grounds
from gaji.payroll.payslips.rules import Place, touching
from gaji.payroll.payslips.repository import drafts as drafts_store
from gaji.payroll.payslips.repository import runs as store

AT_ONCE = 100
"""So many payslips are calculated while the caller waits; more are a job."""


@dataclass(frozen=True, slots=True)
class Run:
    """A payment run, as far as its payslips go by it."""

    client_id: int
    id: int
    place: Place
    special: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """How many payslips a run has, and in which states they are."""

    payslips: int
    calculated: int
    dirty: int
    attention: int
    total: int
    """The nett pay of those that are calculated, in cents."""
    nothing: int = 0
    """How many of these pay nothing."""


@dataclass(frozen=True, slots=True)
class Unready:
    """A payslip that cannot be finalised, and why."""

    id: int
    employee_id: int
    dirty: bool
    attention: Sequence[str]


@dataclass(frozen=True, slots=True)
class Later:
    """A finalised payslip that comes after those of a run."""

    id: int
    date: date
    employee_id: int
    payment_run_id: int


@dataclass(frozen=True, slots=True)
class Finalised:
    """What was finalised."""

    employee_ids: Sequence[int]
    payslips: int
    total: int


async def first_draft_before(tx: Transaction, client_id: int, place: Place) -> date | None:
    """The date of the first regular draft of a wave that is of an earlier period."""
    return await store.first_draft_before(tx, client_id, *place)


async def waiting(tx: Transaction, client_id: int, place: Place) -> int:
    """How many regular drafts of a wave and period no run has taken up."""
    return await store.waiting(tx, client_id, *place)


async def claim(tx: Transaction, run: Run, after: int = 0, most: int = AT_ONCE) -> list[Draft]:
    """Drafts that wait for a run, those of the next employees after one; nobody else changes them meanwhile."""
    return [draft_of(row) for row in await store.claim_waiting(tx, run.client_id, *run.place, after, most)]


async def take_up(tx: Transaction, run: Run, drafts: Sequence[Draft]) -> None:
    """Calculate drafts that were claimed, as payslips of a run."""
    found = await employment_context.load(tx, run.client_id, [draft.employee_id for draft in drafts])
    await calculate(tx, run.client_id, drafts, found, payment_run_id=run.id)


async def add_special(tx: Transaction, run: Run, employee_ids: Sequence[int], found: Grounds) -> None:
    """Give employees a once-off payslip each, in this run."""
    period = found.waves[run.place.wave_id].period(run.place.offset, special=True)
    place = (*run.place, period.start, period.end, period.pay_date, run.id)
    rows = [(employee_id, *place) for employee_id in employee_ids]
    drafts = [draft_of(row) for row in await store.insert_special(tx, run.client_id, rows)]
    await _calculate_or_queue(tx, run.client_id, drafts, found)


async def recalculate(tx: Transaction, run: Run) -> int:
    """Take up what waits and calculate all drafts of a run again, many of them in a job; says how many there are."""
    if not run.special:
        await store.attach_waiting(tx, run.client_id, *run.place, run.id)
    drafts = [draft_of(row) for row in await store.drafts(tx, run.client_id, run.id)]
    await _calculate_or_queue(tx, run.client_id, drafts)
    return len(drafts)


async def finalise(tx: Transaction, run: Run) -> Finalised:
    """Finalise the payslips of a run; the drafts that follow from it appear."""
    done = Finalised(*await store.finalise(tx, run.client_id, run.id))
    await recalculation.next_drafts(tx, run.client_id, done.employee_ids)
    return done


async def unfinalise(tx: Transaction, run: Run) -> int:
    """Make the payslips of a run drafts again, and take back what followed; says how many there are."""
    employee_ids = await store.unfinalise(tx, run.client_id, run.id)
    if not run.special:
        employee_ids += await store.attach_waiting(tx, run.client_id, *run.place, run.id)
    await recalculation.next_drafts(tx, run.client_id, employee_ids)
    return len(employee_ids)


async def unready(tx: Transaction, run: Run, most: int) -> tuple[list[Unready], int]:
    """The payslips of a run that cannot be finalised, at most so many, and how many there are in all."""
    rows = await store.unready(tx, run.client_id, run.id, most)
    found = [Unready(row["id"], row["employee_id"], row["dirty"], row["attention"]) for row in rows]
    return found, rows[0]["in_all"] if rows else 0


async def overtaken(tx: Transaction, run: Run) -> Later | None:
    """A finalised payslip of an employee of a run that has a later date, or was finalised later on the same date."""
    row = await store.overtaken(tx, run.client_id, run.id)
    return Later(*row) if row else None


async def release(tx: Transaction, run: Run) -> None:
    """Let employees see the payslips of a run."""
    await store.release(tx, run.client_id, run.id)


async def give_back(tx: Transaction, run: Run) -> None:
    """Let the regular drafts of a run be in none, and remove its once-off ones with all that was entered for them."""
    await store.give_back(tx, run.client_id, run.id)


async def counts(tx: Transaction, run: Run, *, opening: bool = False) -> Counts:
    """How many payslips a run has, and in which states; those it has yet to take up are as good as dirty."""
    if opening:
        return Counts(*await store.counts_of_period(tx, run.client_id, *run.place))
    return Counts(*await store.counts(tx, run.client_id, run.id))


async def totals(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> dict[int, int]:
    """The nett pay of runs in cents, by run: of their payslips that are calculated."""
    return await store.totals(tx, client_id, run_ids)


async def listed(tx: Transaction, run: Run, page: Page | None) -> tuple[tuple[list[str], int], set[str]]:
    """The payslips of a run as JSON with their items, how many there are in all, and their rules versions."""
    names = captions(await calculations.catalogue(tx, run.client_id))
    rows, total = await store.elements(tx, run.client_id, run.id, page)
    told = await asyncio.to_thread(_told, rows, names) if len(rows) > FEW else _told(rows, names)
    return (told, total), {row["rules_version"] for row in rows} - {None}


def _told(rows: Sequence[asyncpg.Record], names: Mapping[str, str]) -> list[str]:
    return [
        with_data(f'{row["element"][:-1]},"employee_id":{row["employee_id"]}}}', row["lines"], names) for row in rows
    ]


def serves(found: Grounds, employee_id: int, place: Place, *, any_wave: bool = False) -> bool:
    """Whether an employee is in service in a period, paid by its wave or by any."""
    period = found.waves[place.wave_id].period(place.offset)
    stretches = found.stretches.get(employee_id, ())
    waves = {one.wave_id for one in stretches} if any_wave else {place.wave_id}
    return any(touching(stretches, wave_id, period) for wave_id in waves)


async def _calculate_or_queue(
    tx: Transaction, client_id: int, drafts: Sequence[Draft], found: Grounds | None = None
) -> None:
    if len(drafts) > AT_ONCE:
        await drafts_store.mark(tx, client_id, [draft.id for draft in drafts])
        await enqueue(tx, recalculation.JOB, client_id)
    elif drafts:
        found = found or await employment_context.load(tx, client_id, [draft.employee_id for draft in drafts])
        await calculate(tx, client_id, drafts, found)
