"""Drafts: one regular draft for each employee, for the first period in service that is not finalised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import asyncpg

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import queries as payment_runs
from gaji.payroll.payslips.draft_periods import DraftState, PeriodKey, next_draft_period
from gaji.payroll.payslips.employment_context import EmploymentContext
from gaji.payroll.payslips.repository import drafts as repository


@dataclass(frozen=True, slots=True)
class Draft:
    """A payslip that is not finalised."""

    id: int
    """0 for a draft that is not stored."""
    employee_id: int
    period: PeriodKey
    special: bool = False
    corrects: int | None = None
    """The finalised payslip that a payslip of a correction run corrects."""


@dataclass
class DraftChanges:
    """The changes that give employees the regular drafts they should have."""

    unchanged: list[Draft] = field(default_factory=list)
    moved: list[Draft] = field(default_factory=list)
    """Drafts that move to another period, or that are no longer withdrawn."""
    withdrawn: list[int] = field(default_factory=list)
    created: list[tuple[int, PeriodKey]] = field(default_factory=list)
    """Employees who get a new draft, and its period."""

    def add(self, employee_id: int, state: DraftState, period: PeriodKey | None) -> None:
        """Give an employee a draft for this period, and withdraw all others.

        A withdrawn draft comes back only in its own period, because its entries were meant for that period.
        """
        others = dict(state.drafts)
        if period is None:
            pass
        elif period in others:
            self.unchanged.append(Draft(others.pop(period), employee_id, period))
        elif period in state.withdrawn:
            self.moved.append(Draft(state.withdrawn[period], employee_id, period))
        elif others:
            self.moved.append(Draft(others.pop(min(others)), employee_id, period))
        else:
            self.created.append((employee_id, period))
        self.withdrawn += others.values()


async def sync_drafts(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    locked: Sequence[asyncpg.Record],
    context: EmploymentContext,
) -> list[Draft]:
    """Give these employees, whose drafts are locked, the drafts they should have. Returns all their drafts."""
    finalised = await repository.last_finalised(tx, client_id, employee_ids)
    open_offsets = await load_open_offsets(tx, client_id, context)
    changes = await run_in_thread_if_many(
        len(employee_ids), lambda: _find_changes(_draft_states(employee_ids, locked, finalised), context, open_offsets)
    )
    special = [draft_from_row(row) for row in locked if row["special"] and not row["withdrawn"]]
    return [*special, *changes.unchanged, *await _apply_changes(tx, client_id, changes, context)]


def _find_changes(
    states: Mapping[int, DraftState], context: EmploymentContext, open_offsets: Mapping[int, int]
) -> DraftChanges:
    changes = DraftChanges()
    for employee_id, state in states.items():
        period = next_draft_period(context.paid_intervals[employee_id], state, context.waves, open_offsets)
        changes.add(employee_id, state, period)
    return changes


async def _apply_changes(
    tx: Transaction, client_id: int, changes: DraftChanges, context: EmploymentContext
) -> list[Draft]:
    """Save the changes, and return the moved and created drafts."""
    if changes.withdrawn:
        await repository.withdraw(tx, client_id, changes.withdrawn)
    runs = await payment_runs.load_open_runs(tx, client_id) if changes.moved or changes.created else {}
    periods = {*(draft.period for draft in changes.moved), *(period for _, period in changes.created)}
    columns = {period: _period_columns(period, context, runs) for period in periods}
    if changes.moved:
        await repository.move_drafts(tx, client_id, [(draft.id, *columns[draft.period]) for draft in changes.moved])
    if not changes.created:
        return changes.moved
    period_of = dict(changes.created)
    rows = await repository.insert_drafts(
        tx, client_id, [(employee_id, *columns[period]) for employee_id, period in changes.created]
    )
    return [*changes.moved, *(Draft(row["id"], row["employee_id"], period_of[row["employee_id"]]) for row in rows)]


def _period_columns(
    key: PeriodKey, context: EmploymentContext, runs: Mapping[tuple[int, int], int]
) -> tuple[object, ...]:
    """Wave, offset, first day, last day, pay date, and the open run of a period."""
    period = context.waves[key.wave_id].period(key.offset)
    return (*key, period.start, period.end, period.pay_date, runs.get(key))


def _draft_states(
    employee_ids: Sequence[int], drafts: Sequence[asyncpg.Record], finalised: Sequence[asyncpg.Record]
) -> dict[int, DraftState]:
    states = {employee_id: DraftState() for employee_id in employee_ids}
    for row in drafts:
        if not row["special"]:
            state = states[row["employee_id"]]
            drafts_by_period = state.withdrawn if row["withdrawn"] else state.drafts
            drafts_by_period[PeriodKey(row["wave_id"], row["period_offset"])] = row["id"]
    for row in finalised:
        states[row["employee_id"]].finalised[row["wave_id"]] = row["period_offset"]
    return states


async def load_open_offsets(tx: Transaction, client_id: int, context: EmploymentContext) -> dict[int, int]:
    """Load the first period without a finalised payslip, by wave."""
    last = await repository.last_finalised_of_waves(tx, client_id, list(context.waves))
    return {
        wave_id: max(wave.first_offset, last[wave_id] + 1) if wave_id in last else wave.first_offset
        for wave_id, wave in context.waves.items()
    }


def draft_from_row(row: asyncpg.Record) -> Draft:
    """Build a draft from a row with the columns DRAFT_COLUMNS."""
    period = PeriodKey(row["wave_id"], row["period_offset"])
    return Draft(row["id"], row["employee_id"], period, row["special"], row["corrects"])
