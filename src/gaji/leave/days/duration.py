"""Measuring: what dates count as leave, by the regular hours of employees and the public holidays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from gaji.company.clients.service import client_features
from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import StoredValue
from gaji.engine.leave.day_length import LeaveDayLength, LeaveDayError, leave_day_length, public_holiday_name
from gaji.engine.regular_hours import WorkWeek, work_week
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.leave.days import repository
from gaji.leave.days.working_hours import WorkingHours, load_working_hours

ANY_DAY = "leave_any_day"


@dataclass(frozen=True)
class Measure:
    """What decides what a date counts."""

    weeks: WorkingHours
    any_day: bool
    """Whether the client lets leave be taken on any day."""

    def day(self, employee_id: int, day: date) -> LeaveDayLength:
        """What a date counts for an employee; raises NoLeaveDay."""
        public_holiday_name(law().holidays, day)  # what is not known of a date is better told before its hours
        inputs = self.weeks.inputs(employee_id, day)
        any_day = self.any_day and inputs.get(ANY_DAY, True) is not False
        return leave_day_length(law().holidays, self.week(employee_id, day), day, any_day=any_day)

    def week(self, employee_id: int, day: date) -> WorkWeek:
        """The week of an employee as it is on a day; raises NoLeaveDay for a month outside of the law."""
        try:
            half_day_hours = law().pay.half_day_hours.at(Month.from_date(day)).value
        except MonthNotCovered as error:
            raise LeaveDayError(str(error)) from None
        return _week(tuple(sorted(self.weeks.inputs(employee_id, day).items())), half_day_hours)


async def measure_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> Measure:
    """What decides what dates count for these employees."""
    features = await client_features(tx, client_id)
    return Measure(await load_working_hours(tx, client_id, employee_ids), features[ANY_DAY])


async def measure_again(tx: Transaction, client_id: int, since: Mapping[int, date]) -> None:
    """Measure days of leave by the regular hours that employees have now: those of each from some day on.

    A date that has become a day off counts nothing.
    """
    rows = await repository.days_since(tx, client_id, since)
    if not rows:
        return
    measure = await measure_of(tx, client_id, list({row["employee_id"] for row in rows}))
    changed = []
    for row in rows:
        now = _now(measure, row["employee_id"], row["date"], row["millihours"])
        if now != (row["day_millihours"], row["millidays"], row["working_millidays"]):
            changed.append((row["id"], *now))
    if changed:
        await repository.set_measures(tx, client_id, changed)


def _now(measure: Measure, employee_id: int, day: date, millihours: int | None) -> tuple[int, int, int]:
    try:
        found = measure.day(employee_id, day)
    except LeaveDayError:
        return 0, 0, 0
    part = None if millihours is None else min(millihours, found.millihours)
    return (found.millihours, *found.part(part))


@lru_cache(maxsize=1000)
def _week(inputs: tuple[tuple[str, StoredValue], ...], half_day_hours: int) -> WorkWeek:
    return work_week(dict(inputs), half_day_hours)
