"""What happens to wave periods: they begin with service, and change at the end of a pay period."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from gaji import clock
from gaji.db.tenancy import Transaction
from gaji.engine.periods import Schedule
from gaji.errors import Invalid
from gaji.wave_periods import store

A_DAY = timedelta(days=1)


async def begin(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """The first wave of an employee."""
    await store.insert(tx, client_id, employee_id, wave_id, start)


async def change_wave(
    tx: Transaction, client_id: int, employee_id: int, wave_id: int, schedules: Mapping[int, Schedule]
) -> None:
    """End the current wave with its current pay period, and begin the new one on the day after.

    A change that has not begun yet is replaced; changing back to the wave before it undoes it.
    """
    current, *before = await store.latest(tx, client_id, employee_id)
    schedule = schedules[current["wave_id"]]
    today = clock.today()
    if current["start_date"] > today and before:
        await store.delete(tx, client_id, current["id"])
        if before[0]["wave_id"] == wave_id:
            await store.set_end(tx, client_id, before[0]["id"], None)
        else:
            await store.insert(tx, client_id, employee_id, wave_id, current["start_date"])
        return
    end = schedule.end(schedule.holding(max(today, current["start_date"])))
    await store.set_end(tx, client_id, current["id"], end)
    await store.insert(tx, client_id, employee_id, wave_id, end + A_DAY)


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Begin the first wave on another day, because service begins on another day."""
    first = await store.first(tx, client_id, employee_id)
    if first["end_date"] is not None and start > first["end_date"]:
        raise Invalid({"appointment_date": f"must not be after {first['end_date']}, when the employee changed wave"})
    await store.set_start(tx, client_id, first["id"], start)


async def elements_of(tx: Transaction, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """The wave periods of employees as JSON, by employee."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in await store.elements(tx, employee_ids):
        found[row["employee_id"]].append(row["element"])
    return found
