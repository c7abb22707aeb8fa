"""The length of leave days, from the working hours of employees and public holidays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from gaji.company.clients.queries import load_client_features
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.leave.day_length import (
    LeaveDayError,
    LeaveDayLength,
    LeaveDayNotCovered,
    leave_day_length,
    public_holiday_name,
)
from gaji.engine.regular_hours import WorkSchedule, WorkWeek, work_week
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.leave.days import repository
from gaji.leave.days.working_hours import WorkingHours, load_working_hours
from gaji.leave.quantities import format_thousandths

LEAVE_ANY_DAY = "leave_any_day"
MILLIDAYS_OF_HALF_DAY = 500


@dataclass(frozen=True)
class LeaveTime:
    """Leave on a date, and what it takes from the balance."""

    date: date
    hours: int | float | None
    """None: the whole day."""
    days: int | float
    is_half_working_day: bool = False
    """Whether the whole date counts as half a day."""


@dataclass(frozen=True)
class DayLengths:
    """Computes the length of leave days for some employees."""

    working_hours: WorkingHours
    any_day: bool
    """Whether the client allows leave on any day."""
    _schedules: dict[int, WorkSchedule] = field(default_factory=dict, compare=False)

    def leave_day(self, employee_id: int, day: date) -> LeaveDayLength:
        """Return the length of a day for an employee. Raises LeaveDayError if no leave can be taken on it."""
        public_holiday_name(current_law().holidays, day)  # reports an unknown holiday calendar first
        any_day = self.allows_any_day(employee_id, day)
        return leave_day_length(current_law().holidays, self.week(employee_id, day), day, any_day=any_day)

    def allows_any_day(self, employee_id: int, day: date) -> bool:
        """Return whether an employee can take leave on days off and public holidays too."""
        return self.any_day and self.working_hours.inputs(employee_id, day).get(LEAVE_ANY_DAY, True) is not False

    def charged_millidays(self, employee_id: int, day: date, millihours: int | None) -> int:
        """Return what leave on a day takes from the balance. None: all hours. Zero if no leave can be taken on it."""
        return _current_lengths(self, employee_id, day, millihours)[1]

    def leave_time(self, employee_id: int, day: date, millihours: int | None) -> LeaveTime:
        """Return leave on a day with the days that it takes from the balance."""
        hours = None if millihours is None else format_thousandths(millihours)
        whole_day = self.charged_millidays(employee_id, day, None)
        charged = whole_day if millihours is None else self.charged_millidays(employee_id, day, millihours)
        return LeaveTime(day, hours, format_thousandths(charged), whole_day == MILLIDAYS_OF_HALF_DAY)

    def schedule(self, employee_id: int) -> WorkSchedule:
        """Return an employee's working weeks over time."""
        if employee_id not in self._schedules:
            days = [date.min, *self.working_hours.change_dates(employee_id)]
            self._schedules[employee_id] = WorkSchedule(tuple((day, self._week_on(employee_id, day)) for day in days))
        return self._schedules[employee_id]

    def _week_on(self, employee_id: int, day: date) -> WorkWeek:
        half_day_hours = current_law().pay.half_day_hours.nearest(day).value
        return _week(tuple(sorted(self.working_hours.inputs(employee_id, day).items())), half_day_hours)

    def week(self, employee_id: int, day: date) -> WorkWeek:
        """Return an employee's working week on a day. Raises LeaveDayNotCovered for a month that is not."""
        try:
            half_day_hours = current_law().pay.half_day_hours.at(Month.from_date(day)).value
        except MonthNotCovered as error:
            raise LeaveDayNotCovered(error.sentence, error.first.first_day, error.last.last_day) from None
        return _week(tuple(sorted(self.working_hours.inputs(employee_id, day).items())), half_day_hours)


async def load_day_lengths(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> DayLengths:
    """Load what the length of leave days depends on for these employees."""
    features = await load_client_features(tx, client_id)
    return DayLengths(await load_working_hours(tx, client_id, employee_ids), features[LEAVE_ANY_DAY])


async def recompute_day_lengths(tx: Transaction, client_id: int, since: Mapping[int, date]) -> None:
    """Recompute the length of leave days with the current working hours, since a day of each employee.

    A date that is no longer a working day has length zero.
    """
    rows = await repository.list_days_since(tx, client_id, since)
    if not rows:
        return
    day_lengths = await load_day_lengths(tx, client_id, list({row["employee_id"] for row in rows}))

    def find_changed() -> list[tuple[int, int, int, int]]:
        changed = []
        for row in rows:
            lengths = _current_lengths(day_lengths, row["employee_id"], row["date"], row["millihours"])
            if lengths != (row["day_millihours"], row["millidays"], row["working_millidays"]):
                changed.append((row["id"], *lengths))
        return changed

    if changed := await run_in_thread_if_many(len(rows), find_changed):
        await repository.set_day_lengths(tx, client_id, changed)


def _current_lengths(
    day_lengths: DayLengths, employee_id: int, day: date, millihours: int | None
) -> tuple[int, int, int]:
    try:
        length = day_lengths.leave_day(employee_id, day)
    except LeaveDayError:
        return 0, 0, 0
    part = None if millihours is None else min(millihours, length.millihours)
    return (length.millihours, *length.portion_millidays(part))


@lru_cache(maxsize=1000)
def _week(inputs: tuple[tuple[str, StoredValue], ...], half_day_hours: int) -> WorkWeek:
    return work_week(dict(inputs), half_day_hours)
