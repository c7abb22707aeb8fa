"""Regular hours: which days of a week each person works, and for how long."""

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
USUAL_DAYS = ("mon", "tue", "wed", "thu", "fri")
"""Of whoever has no regular hours, or none that are fixed."""

Hours = npt.NDArray[np.int64]
"""One row for each person, thousandths of an hour from Monday to Sunday."""


@dataclass(frozen=True)
class RegularHours:
    """The week of each person."""

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
        summed: Millis = self.hours.sum(axis=1)
        return summed


@dataclass(frozen=True)
class WorkWeek:
    """The week of one person, from Monday to Sunday."""

    half_days: tuple[int, ...]
    millihours: tuple[int, ...]
    day_millihours: int
    week_millidays: int | None
    casual: bool


def regular_hours(inputs: InputColumns, half_day_hours: int) -> RegularHours:
    """The weeks of a batch."""
    rows = [_week((), half_day_hours)] * inputs.person_count
    for place, entry in inputs.entries("week_hours"):
        rows[place] = _week(tuple(sorted(entry.inputs.items())), half_day_hours)
    weeks = np.array([row.half_days for row in rows], dtype=np.int8)
    average = average_week_millidays(weeks)
    stated = np.array([-1 if row.week_millidays is None else row.week_millidays for row in rows], dtype=np.int64)
    return RegularHours(
        weeks=weeks,
        hours=np.array([row.millihours for row in rows], dtype=np.int64),
        day_millihours=np.array([row.day_millihours for row in rows], dtype=np.int64),
        week_millidays=np.where(stated < 0, average, stated),
        casual=np.array([row.casual for row in rows], dtype=np.bool_),
    )


@lru_cache(maxsize=10_000)
def _week(entered: tuple[tuple[str, StoredValue], ...], half_day_hours: int) -> WorkWeek:
    """The same for inputs in their order; few companies have many different weeks."""
    return work_week(dict(entered), half_day_hours)


def work_week(entered: Mapping[str, StoredValue], half_day_hours: int) -> WorkWeek:
    """The week that these inputs of `week_hours` mean."""
    full_day = Decimal(str(entered.get("full_day_hours_input", FULL_DAY_HOURS))) or FULL_DAY_HOURS
    casual = entered.get("schedule") == "casual"
    fixed = not casual and any(f"works_{day}" in entered for day in WEEKDAYS)
    hours = [_hours(entered, day, full_day) if fixed else full_day * (day in USUAL_DAYS) for day in WEEKDAYS]
    if not any(hours):
        hours = [full_day * (day in USUAL_DAYS) for day in WEEKDAYS]
    stated = entered.get("full_days_per_week")
    return WorkWeek(
        half_days=half_days_from_hours(hours, half_day_hours) if fixed else half_days_from_hours(hours, 0),
        millihours=tuple(int(one * MILLI) for one in hours),
        day_millihours=int(full_day * MILLI),
        week_millidays=None if stated in (None, "0") else int(Decimal(str(stated)) * MILLI),
        casual=casual,
    )


def _hours(entered: Mapping[str, StoredValue], day: str, full_day: Decimal) -> Decimal:
    if entered.get(f"works_{day}") is not True:
        return Decimal(0)
    if entered.get(f"day_type_{day}") == "partial":
        return Decimal(str(entered.get(f"partial_hours_{day}", full_day / 2)))
    return full_day
