"""Wave period use cases: wave periods start with service and change at the end of a pay period."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.engine.periods import PaySchedule
from gaji.people.wave_periods import repository
from gaji.periods.queries import load_open_periods

ONE_DAY = timedelta(days=1)


async def create_first_period(tx: Transaction, client_id: int, employee_id: int, wave_id: int, start: date) -> None:
    """Start the first wave of a new employee."""
    await repository.insert(tx, client_id, employee_id, wave_id, start)


async def create_first_periods(tx: Transaction, client_id: int, starts: Sequence[tuple[int, int, date]]) -> None:
    """Start the first wave of new employees, from tuples of employee, wave and date."""
    await repository.insert_many(tx, client_id, starts)


async def change_wave(
    tx: Transaction, client_id: int, employee_id: int, wave_id: int, schedules: Mapping[int, PaySchedule]
) -> None:
    """End the current wave with its current pay period and start the new wave on the next day.

    The current period is that of today, or the last one that is paid if that is later. A wave that has not started yet
    is replaced. Changing back to the wave before it cancels the change.
    """
    current, *previous = await repository.lock_latest_periods(tx, client_id, employee_id)
    paid_until = (await load_open_periods(tx, client_id, [employee_id]))[employee_id].last_finalised_end
    today = clock.today()
    last_day = max(today, paid_until) if paid_until else today
    if current["start_date"] > last_day:
        await repository.delete(tx, client_id, current["id"])
        if previous and previous[0]["wave_id"] == wave_id:
            await repository.set_end(tx, client_id, previous[0]["id"], None)
        else:
            await repository.insert(tx, client_id, employee_id, wave_id, current["start_date"])
        return
    schedule = schedules[current["wave_id"]]
    end = schedule.end(schedule.offset_containing(last_day))
    await repository.set_end(tx, client_id, current["id"], end)
    await repository.insert(tx, client_id, employee_id, wave_id, end + ONE_DAY)


async def find_first_end(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """Return the end of the employee's first wave period, or None if it is open."""
    end: date | None = (await repository.lock_first_period(tx, client_id, employee_id))["end_date"]
    return end


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Move the start of the first wave period together with the start of service."""
    first = await repository.lock_first_period(tx, client_id, employee_id)
    await repository.set_start(tx, client_id, first["id"], start)


async def load_json_by_employee(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """Load the wave periods of employees as JSON, by employee."""
    periods: dict[int, list[str]] = defaultdict(list)
    for row in await repository.load_elements(tx, client_id, employee_ids):
        periods[row["employee_id"]].append(row["element"])
    return periods
