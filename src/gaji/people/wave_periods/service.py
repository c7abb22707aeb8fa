"""What happens to wave periods: they begin with service, and change at the end of a pay period."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.engine.periods import Schedule
from gaji.people.wave_periods import repository

A_DAY = timedelta(days=1)


async def create_first_period(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """The first wave of an employee."""
    await repository.insert(tx, client_id, employee_id, wave_id, start)


async def create_first_periods(tx: Transaction, client_id: int, starts: Sequence[tuple[int, int, date]]) -> None:
    """The first wave of each of these employees."""
    await repository.insert_many(tx, client_id, starts)


async def change_wave(
    tx: Transaction, client_id: int, employee_id: int, wave_id: int, schedules: Mapping[int, Schedule]
) -> None:
    """End the current wave with its current pay period, and begin the new one on the day after.

    A wave that has not begun yet is replaced; changing back to the one before it undoes the change.
    """
    current, *before = await repository.latest(tx, client_id, employee_id)
    today = clock.today()
    if current["start_date"] > today:
        await repository.delete(tx, client_id, current["id"])
        if before and before[0]["wave_id"] == wave_id:
            await repository.set_end(tx, client_id, before[0]["id"], None)
        else:
            await repository.insert(tx, client_id, employee_id, wave_id, current["start_date"])
        return
    schedule = schedules[current["wave_id"]]
    end = schedule.end(schedule.offset_containing(today))
    await repository.set_end(tx, client_id, current["id"], end)
    await repository.insert(tx, client_id, employee_id, wave_id, end + A_DAY)


async def end_of_first(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """When the employee left their first wave for another, if they did."""
    end: date | None = (await repository.first(tx, client_id, employee_id))["end_date"]
    return end


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Begin the first wave on another day, because service begins on another day."""
    first = await repository.first(tx, client_id, employee_id)
    await repository.set_start(tx, client_id, first["id"], start)


async def load_json_by_employee(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """The wave periods of employees as JSON, by employee."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in await repository.elements(tx, client_id, employee_ids):
        found[row["employee_id"]].append(row["element"])
    return found
