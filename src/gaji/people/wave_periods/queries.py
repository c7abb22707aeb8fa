"""By which wave employees are paid when, for those who calculate what they are paid."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.people.wave_periods import repository


@dataclass(frozen=True, slots=True)
class WaveInterval:
    """A wave and the days for which it pays; without an end it goes on."""

    wave_id: int
    start: date
    end: date | None


async def load_wave_intervals(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[WaveInterval]]:
    """The waves of these employees, by employee, in the order of time."""
    found: dict[int, list[WaveInterval]] = defaultdict(list)
    for employee_id, *span in await repository.spans(tx, client_id, employee_ids):
        found[employee_id].append(WaveInterval(*span))
    return found


async def load_waves_on(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> dict[int, int]:
    """The wave that pays for a day, by employee."""
    return dict(await repository.on(tx, client_id, employee_ids, day))
