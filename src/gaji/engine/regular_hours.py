"""Regular hours: the working days of a week or of the weeks of a cycle, and their hours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from gaji.engine.catalogue import CYCLE, CYCLE_START, WEEKDAYS, StoredValue, cycle_hours
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Flags
from gaji.law.length_of_service import DAYS_PER_WEEK
from gaji.law.pay import working_days
from gaji.law.pay.work_cycles import align_cycle, cycle_day, repeat_to_common_cycle
from gaji.law.pay.working_days import Weeks, half_days_from_hours
from gaji.law.quantities import HALF_DAY, MILLI, Millis, format_millis

FULL_DAY_HOURS = Decimal(8)
DEFAULT_DAYS = ("mon", "tue", "wed", "thu", "fri")
"""The working days without regular hours, or with a casual schedule."""

WEEKS_OF_A_PERIOD = 6
"""The weeks from Monday to Sunday that a month of 31 days can have days of."""

Hours = npt.NDArray[np.int64]
"""One row for each employee: thousandths of an hour from Monday to Sunday, for each week of the cycle."""


class RegularHours(Struct, frozen=True):
    """The working weeks of each employee of a batch. All have the length of a common cycle.

    Days and hours are counted by the week that is in force on each date. Rates of pay depend on the last one.
    """

    weeks: Weeks
    """Half days from Monday to Sunday, for each week of the period or of the cycle."""
    hours: Hours
    day_millihours: Millis
    """The hours of a full day."""
    cycle_weeks: int
    """The weeks of the cycle that rates of pay depend on."""
    cycle_millidays: Millis
    """The working days of these weeks."""
    cycle_millihours: Millis
    """The hours of these weeks."""
    casual: Flags

    def week_hours_text(self) -> str:
        """The average hours of a week of the first employee, for an explanation."""
        millihours = int(self.cycle_millihours[0])
        if millihours % self.cycle_weeks:
            return f"{format_millis(millihours)} ÷ {self.cycle_weeks}"
        return format_millis(millihours // self.cycle_weeks)


@dataclass(frozen=True)
class WorkWeek:
    """The working week of one employee from Monday to Sunday, or all weeks of a cycle.

    A cycle begins with the week that contains `EPOCH` of `law/pay/working_days.py`.
    """

    half_days: tuple[int, ...]
    millihours: tuple[int, ...]
    day_millihours: int
    week_millidays: int | None
    """The entered working days of a week. None: the average of the half days."""
    casual: bool

    @property
    def cycle_weeks(self) -> int:
        """The weeks of the cycle."""
        return len(self.half_days) // DAYS_PER_WEEK

    @property
    def cycle_millidays(self) -> int:
        """The working days of the weeks of the cycle."""
        if self.week_millidays is None:
            return sum(self.half_days) * HALF_DAY
        return self.week_millidays * self.cycle_weeks

    @property
    def week_millihours(self) -> Fraction:
        """The average hours of a week."""
        if self.casual and self.week_millidays is not None:
            return Fraction(self.week_millidays * self.day_millihours, MILLI)
        return Fraction(sum(self.millihours), self.cycle_weeks)

    @property
    def leave_day_millihours(self) -> Fraction:
        """The average hours of a day of leave. A day of full hours is one day, and a shorter one may be half a day."""
        if self.casual:
            return Fraction(self.day_millihours)
        half_days = [
            working_days.WHOLE if hours >= self.day_millihours else half
            for hours, half in zip(self.millihours, self.half_days, strict=True)
        ]
        return Fraction(working_days.WHOLE * sum(self.millihours), sum(half_days))

    def half_days_on(self, day: date) -> int:
        """The half days of a date."""
        return self.half_days[cycle_day(day, len(self.half_days))]

    def millihours_on(self, day: date) -> int:
        """The hours of a date."""
        return self.millihours[cycle_day(day, len(self.millihours))]


@dataclass(frozen=True)
class WorkSchedule:
    """The working weeks of one employee over time."""

    weeks: tuple[tuple[date, WorkWeek], ...]
    """By first day, in order. The first applies from the beginning."""

    def on(self, day: date) -> WorkWeek:
        """The working week on a day."""
        return next((week for since, week in reversed(self.weeks) if since <= day), self.weeks[0][1])


def regular_hours(inputs: InputColumns, half_day_hours: int) -> RegularHours:
    """The regular hours of a batch."""
    rows = [_cached_work_week((), half_day_hours)] * inputs.person_count
    dated_rows = {}
    for i, entry in inputs.entries("week_hours"):
        rows[i] = _work_week(entry.inputs, half_day_hours)
        if entry.parts:
            parts = tuple((part.start, _work_week(part.inputs or {}, half_day_hours)) for part in entry.parts)
            dated_rows[i] = _weeks_by_date(WorkSchedule(parts), inputs.period_end)
    weeks = repeat_to_common_cycle([row.half_days for row in rows]).astype(np.int8)
    hours = repeat_to_common_cycle([row.millihours for row in rows])
    cycle_weeks = working_days.cycle_weeks(weeks)
    entered = np.array([-1 if row.week_millidays is None else row.week_millidays for row in rows], dtype=np.int64)
    cycle_millidays = np.where(entered < 0, working_days.cycle_millidays(weeks), entered * cycle_weeks)
    cycle_millihours: Millis = hours.sum(axis=1)
    if dated_rows:
        by_date = [dated_rows.get(i, (row.half_days, row.millihours)) for i, row in enumerate(rows)]
        weeks = repeat_to_common_cycle([half_days for half_days, _ in by_date]).astype(np.int8)
        hours = repeat_to_common_cycle([millihours for _, millihours in by_date])
    return RegularHours(
        weeks=weeks,
        hours=hours,
        day_millihours=np.array([row.day_millihours for row in rows], dtype=np.int64),
        cycle_weeks=cycle_weeks,
        cycle_millidays=cycle_millidays,
        cycle_millihours=cycle_millihours,
        casual=np.array([row.casual for row in rows], dtype=np.bool_),
    )


def _weeks_by_date(schedule: WorkSchedule, period_end: date) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The half days and the hours of the six weeks to the end of a period, as a cycle.

    Six weeks include every day of a period of a month.
    """
    length = WEEKS_OF_A_PERIOD * DAYS_PER_WEEK
    sunday = period_end + timedelta(days=DAYS_PER_WEEK - 1 - period_end.weekday())
    days = sorted((sunday - timedelta(days=i) for i in range(length)), key=lambda day: cycle_day(day, length))
    weeks = [(schedule.on(day), day) for day in days]
    return (
        tuple(week.half_days_on(day) for week, day in weeks),
        tuple(week.millihours_on(day) for week, day in weeks),
    )


def _work_week(inputs: Mapping[str, StoredValue], half_day_hours: int) -> WorkWeek:
    return _cached_work_week(tuple(sorted(inputs.items())), half_day_hours)


@lru_cache(maxsize=10_000)
def _cached_work_week(sorted_inputs: tuple[tuple[str, StoredValue], ...], half_day_hours: int) -> WorkWeek:
    # Most companies have only a few different weeks.
    return work_week(dict(sorted_inputs), half_day_hours)


def work_week(inputs: Mapping[str, StoredValue], half_day_hours: int) -> WorkWeek:
    """The week, or the weeks of a cycle, that the inputs of a `week_hours` calculation describe."""
    full_day = Decimal(str(inputs.get("full_day_hours_input", FULL_DAY_HOURS))) or FULL_DAY_HOURS
    casual = inputs.get("schedule") == "casual"
    hours = None if casual else _fixed_hours(inputs, full_day)
    is_default = hours is None
    if hours is None or not any(hours):
        hours = [full_day * (day in DEFAULT_DAYS) for day in WEEKDAYS]
    week_days = inputs.get("full_days_per_week")
    return WorkWeek(
        half_days=half_days_from_hours(hours, 0 if is_default else half_day_hours),
        millihours=tuple(int(day_hours * MILLI) for day_hours in hours),
        day_millihours=int(full_day * MILLI),
        week_millidays=None if week_days in (None, "0") else int(Decimal(str(week_days)) * MILLI),
        casual=casual,
    )


def _fixed_hours(inputs: Mapping[str, StoredValue], full_day: Decimal) -> Sequence[Decimal] | None:
    """The hours of the days of a week or cycle. None if no days were entered."""
    if CYCLE in inputs and CYCLE_START in inputs:
        return align_cycle(cycle_hours(str(inputs[CYCLE])), date.fromisoformat(str(inputs[CYCLE_START])))
    if any(f"works_{day}" in inputs for day in WEEKDAYS):
        return [_day_hours(inputs, day, full_day) for day in WEEKDAYS]
    return None


def _day_hours(inputs: Mapping[str, StoredValue], day: str, full_day: Decimal) -> Decimal:
    if inputs.get(f"works_{day}") is not True:
        return Decimal(0)
    if inputs.get(f"day_type_{day}") == "partial":
        return Decimal(str(inputs.get(f"partial_hours_{day}", full_day / 2)))
    return full_day
