"""By which wave employees are paid when, for those who calculate what they are paid."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.people.wave_periods import store


@dataclass(frozen=True, slots=True)
class PaidBy:
    """A wave and the days for which it pays; without an end it goes on."""

    wave_id: int
    start: date
    end: date | None


async def waves_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[PaidBy]]:
    """The waves of these employees, by employee, in the order of time."""
    found: dict[int, list[PaidBy]] = defaultdict(list)
    for employee_id, *span in await store.spans(tx, client_id, employee_ids):
        found[employee_id].append(PaidBy(*span))
    return found


async def waves_on(tx: Transaction, client_id: int, employee_ids: Sequence[int], day: date) -> dict[int, int]:
    """The wave that pays for a day, by employee."""
    return dict(await store.on(tx, client_id, employee_ids, day))
