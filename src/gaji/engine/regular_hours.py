"""Regular hours: the working days of a week, and their hours."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Flags
from gaji.law.pay.working_days import Weeks, average_week_millidays, half_days_from_hours
from gaji.law.quantities import MILLI, Millis

FULL_DAY_HOURS = Decimal(8)
DEFAULT_DAYS = ("mon", "tue", "wed", "thu", "fri")
"""The working days without regular hours, or with a casual schedule."""

Hours = npt.NDArray[np.int64]
"""One row for each employee: thousandths of an hour from Monday to Sunday."""


@dataclass(frozen=True)
class RegularHours:
    """The working week of each employee of a batch."""

    weeks: Weeks
    """Half days from Monday to Sunday."""
    hours: Hours
    day_millihours: Millis
    """The hours of a full day."""
    week_millidays: Millis
    """The average working days of a week."""
    casual: Flags

    @property
    def week_millihours(self) -> Millis:
        """The hours of a week."""
        hours: Millis = self.hours.sum(axis=1)
        return hours


@dataclass(frozen=True)
class WorkWeek:
    """The working week of one employee, from Monday to Sunday."""

    half_days: tuple[int, ...]
    millihours: tuple[int, ...]
    day_millihours: int
    week_millidays: int | None
    """The entered working days of a week. None: the average of the half days."""
    casual: bool


def regular_hours(inputs: InputColumns, half_day_hours: int) -> RegularHours:
    """The regular hours of a batch."""
    rows = [_cached_work_week((), half_day_hours)] * inputs.person_count
    for i, entry in inputs.entries("week_hours"):
        rows[i] = _cached_work_week(tuple(sorted(entry.inputs.items())), half_day_hours)
    weeks = np.array([row.half_days for row in rows], dtype=np.int8)
    average = average_week_millidays(weeks)
    entered = np.array([-1 if row.week_millidays is None else row.week_millidays for row in rows], dtype=np.int64)
    return RegularHours(
        weeks=weeks,
        hours=np.array([row.millihours for row in rows], dtype=np.int64),
        day_millihours=np.array([row.day_millihours for row in rows], dtype=np.int64),
        week_millidays=np.where(entered < 0, average, entered),
        casual=np.array([row.casual for row in rows], dtype=np.bool_),
    )


@lru_cache(maxsize=10_000)
def _cached_work_week(sorted_inputs: tuple[tuple[str, StoredValue], ...], half_day_hours: int) -> WorkWeek:
    # Most companies have only a few different weeks.
    return work_week(dict(sorted_inputs), half_day_hours)


def work_week(inputs: Mapping[str, StoredValue], half_day_hours: int) -> WorkWeek:
    """The week that the inputs of a `week_hours` calculation describe."""
    full_day = Decimal(str(inputs.get("full_day_hours_input", FULL_DAY_HOURS))) or FULL_DAY_HOURS
    casual = inputs.get("schedule") == "casual"
    fixed = not casual and any(f"works_{day}" in inputs for day in WEEKDAYS)
    hours = [_day_hours(inputs, day, full_day) if fixed else full_day * (day in DEFAULT_DAYS) for day in WEEKDAYS]
    if not any(hours):
        hours = [full_day * (day in DEFAULT_DAYS) for day in WEEKDAYS]
    week_days = inputs.get("full_days_per_week")
    return WorkWeek(
        half_days=half_days_from_hours(hours, half_day_hours) if fixed else half_days_from_hours(hours, 0),
        millihours=tuple(int(day_hours * MILLI) for day_hours in hours),
        day_millihours=int(full_day * MILLI),
        week_millidays=None if week_days in (None, "0") else int(Decimal(str(week_days)) * MILLI),
        casual=casual,
    )


def _day_hours(inputs: Mapping[str, StoredValue], day: str, full_day: Decimal) -> Decimal:
    if inputs.get(f"works_{day}") is not True:
        return Decimal(0)
    if inputs.get(f"day_type_{day}") == "partial":
        return Decimal(str(inputs.get(f"partial_hours_{day}", full_day / 2)))
    return full_day
