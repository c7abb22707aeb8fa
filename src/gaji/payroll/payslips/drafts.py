"""Drafts: one regular draft for each employee, for the first period in service that is not finalised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import queries as payment_runs
from gaji.payroll.payslips.employment_context import Grounds
from gaji.payroll.payslips.rules import Place, Standing, wanted_draft
from gaji.payroll.payslips.repository import drafts as store


@dataclass(frozen=True, slots=True)
class Draft:
    """A payslip that is not finalised."""

    id: int
    """0 for one that is not kept."""
    employee_id: int
    place: Place
    special: bool = False


@dataclass
class Moves:
    """What has to happen to the regular drafts of some employees."""

    kept: list[Draft] = field(default_factory=list)
    placed: list[Draft] = field(default_factory=list)
    """Drafts that go to another place, or are taken up again where they are."""
    withdrawn: list[int] = field(default_factory=list)
    new: list[tuple[int, Place]] = field(default_factory=list)
    """Employees who get one, and where."""

    def towards(self, employee_id: int, standing: Standing, wanted: Place | None) -> None:
        """Let an employee have the wanted draft and no other.

        One that is put aside comes back only where it was: what was entered for it was meant for that period.
        """
        others = dict(standing.drafts)
        if wanted is None:
            pass
        elif wanted in others:
            self.kept.append(Draft(others.pop(wanted), employee_id, wanted))
        elif wanted in standing.withdrawn:
            self.placed.append(Draft(standing.withdrawn[wanted], employee_id, wanted))
        elif others:
            self.placed.append(Draft(others.pop(min(others)), employee_id, wanted))
        else:
            self.new.append((employee_id, wanted))
        self.withdrawn += others.values()


async def rebuild(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], locked: Sequence[asyncpg.Record], grounds: Grounds
) -> list[Draft]:
    """Give these employees, whose drafts are locked, the drafts that they should have."""
    standings = _standings(employee_ids, locked, await store.last_finalised(tx, client_id, employee_ids))
    open_offsets = await _open_offsets(tx, client_id, grounds)
    moves = Moves()
    for employee_id, standing in standings.items():
        wanted = wanted_draft(grounds.stretches[employee_id], standing, grounds.waves, open_offsets)
        moves.towards(employee_id, standing, wanted)
    special = [draft_of(row) for row in locked if row["special"]]
    return [*special, *moves.kept, *await _carry_out(tx, client_id, moves, grounds)]


async def _carry_out(tx: Transaction, client_id: int, moves: Moves, grounds: Grounds) -> list[Draft]:
    """Do what has to happen, and give the drafts that are new in their place."""
    if moves.withdrawn:
        await store.withdraw(tx, client_id, moves.withdrawn)
    runs = await payment_runs.open_runs(tx, client_id) if moves.placed or moves.new else {}
    places = {*(one.place for one in moves.placed), *(place for _, place in moves.new)}
    rows = {place: _row(place, grounds, runs) for place in places}
    if moves.placed:
        await store.place(tx, client_id, [(one.id, *rows[one.place]) for one in moves.placed])
    if not moves.new:
        return moves.placed
    wanted = dict(moves.new)
    inserted = await store.insert(tx, client_id, [(employee_id, *rows[place]) for employee_id, place in moves.new])
    return [*moves.placed, *(Draft(row["id"], row["employee_id"], wanted[row["employee_id"]]) for row in inserted)]


def _row(place: Place, grounds: Grounds, runs: Mapping[tuple[int, int], int]) -> tuple[object, ...]:
    """Wave, offset, first day, last day, pay date, and the run that is open for that place."""
    period = grounds.waves[place.wave_id].period(place.offset)
    return (*place, period.start, period.end, period.pay_date, runs.get(place))


def _standings(
    employee_ids: Sequence[int], drafts: Sequence[asyncpg.Record], finalised: Sequence[asyncpg.Record]
) -> dict[int, Standing]:
    found = {employee_id: Standing() for employee_id in employee_ids}
    for row in drafts:
        if not row["special"]:
            standing = found[row["employee_id"]]
            chosen = standing.withdrawn if row["withdrawn"] else standing.drafts
            chosen[Place(row["wave_id"], row["period_offset"])] = row["id"]
    for row in finalised:
        found[row["employee_id"]].finalised[row["wave_id"]] = row["period_offset"]
    return found


async def _open_offsets(tx: Transaction, client_id: int, grounds: Grounds) -> dict[int, int]:
    """By wave, the first period of which nothing is finalised."""
    last = await store.last_finalised_of_waves(tx, client_id, list(grounds.waves))
    return {
        wave_id: max(wave.first_offset, last[wave_id] + 1) if wave_id in last else wave.first_offset
        for wave_id, wave in grounds.waves.items()
    }


def draft_of(row: asyncpg.Record) -> Draft:
    return Draft(row["id"], row["employee_id"], Place(row["wave_id"], row["period_offset"]), row["special"])
