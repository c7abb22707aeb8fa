"""Wave period queries."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from gaji.core.threads import run_in_thread_if_many
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction

INTERVALS = """SELECT employee_id, wave_id, start_date, end_date FROM wave_periods
    WHERE client_id = ids.client_id AND employee_id = ids.id"""


@dataclass(frozen=True, slots=True)
class WaveInterval:
    """A wave and the days for which it pays an employee. `end` is None for the current wave."""

    wave_id: int
    start: date
    end: date | None


async def load_wave_intervals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, list[WaveInterval]]:
    """Load the waves of employees by employee, in chronological order."""
    rows = await tx.fetch(
        f"SELECT w.* FROM {each_id('$2', INTERVALS)} w ORDER BY employee_id, start_date",
        client_id,
        employee_ids,
    )
    return await run_in_thread_if_many(len(rows), lambda: _group_intervals(rows))


def _group_intervals(rows: Sequence[asyncpg.Record]) -> dict[int, list[WaveInterval]]:
    intervals: dict[int, list[WaveInterval]] = defaultdict(list)
    for row in rows:
        intervals[row["employee_id"]].append(WaveInterval(row["wave_id"], row["start_date"], row["end_date"]))
    return intervals


async def load_waves_on(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> dict[int, int]:
    """Load the wave that pays each employee on a day, by employee."""
    rows = await tx.fetch(
        "SELECT employee_id, wave_id FROM wave_periods WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND start_date <= $3 AND (end_date IS NULL OR end_date >= $3)",
        client_id,
        employee_ids,
        day,
    )
    return {row["employee_id"]: row["wave_id"] for row in rows}
