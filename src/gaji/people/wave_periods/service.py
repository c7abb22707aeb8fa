"""What happens to wave periods: they begin with service, and change at the end of a pay period."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.engine.periods import Schedule
from gaji.people.wave_periods import store

A_DAY = timedelta(days=1)


async def begin(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """The first wave of an employee."""
    await store.insert(tx, client_id, employee_id, wave_id, start)


async def begin_many(tx: Transaction, client_id: int, starts: Sequence[tuple[int, int, date]]) -> None:
    """The first wave of each of these employees."""
    await store.insert_many(tx, client_id, starts)


async def change_wave(
    tx: Transaction, client_id: int, employee_id: int, wave_id: int, schedules: Mapping[int, Schedule]
) -> None:
    """End the current wave with its current pay period, and begin the new one on the day after.

    A wave that has not begun yet is replaced; changing back to the one before it undoes the change.
    """
    current, *before = await store.latest(tx, client_id, employee_id)
    today = clock.today()
    if current["start_date"] > today:
        await store.delete(tx, client_id, current["id"])
        if before and before[0]["wave_id"] == wave_id:
            await store.set_end(tx, client_id, before[0]["id"], None)
        else:
            await store.insert(tx, client_id, employee_id, wave_id, current["start_date"])
        return
    schedule = schedules[current["wave_id"]]
    end = schedule.end(schedule.offset_containing(today))
    await store.set_end(tx, client_id, current["id"], end)
    await store.insert(tx, client_id, employee_id, wave_id, end + A_DAY)


async def end_of_first(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """When the employee left their first wave for another, if they did."""
    end: date | None = (await store.first(tx, client_id, employee_id))["end_date"]
    return end


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Begin the first wave on another day, because service begins on another day."""
    first = await store.first(tx, client_id, employee_id)
    await store.set_start(tx, client_id, first["id"], start)


async def elements_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """The wave periods of employees as JSON, by employee."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in await store.elements(tx, client_id, employee_ids):
        found[row["employee_id"]].append(row["element"])
    return found
