"""Working days of national service, as the Ministry of Defence counts them: public holidays are included."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from gaji.law.months import Month

A_DAY = timedelta(days=1)
HALF_DAY_MILLIDAYS = 500
MAX_GAP = timedelta(days=14)
"""The longest gap within one activity that is searched for working days."""


@dataclass(frozen=True)
class ServiceMonth:
    """National service in one calendar month."""

    month: Month
    first: date
    last: date
    millidays: int
    month_millidays: int
    """All working days of the month."""


def list_service_months(
    days: Sequence[tuple[date, int]], half_days: Callable[[date], int], is_holiday: Callable[[date], bool]
) -> list[ServiceMonth]:
    """List the months with national service. `half_days` are the regular half days of a date, holidays included."""
    counted = sorted([*days, *_holidays_within(days, half_days, is_holiday)])
    months: dict[Month, list[tuple[date, int]]] = {}
    for day, millidays in counted:
        months.setdefault(Month.from_date(day), []).append((day, millidays))
    return [
        ServiceMonth(
            month,
            entries[0][0],
            entries[-1][0],
            sum(millidays for _, millidays in entries),
            _month_millidays(month, half_days),
        )
        for month, entries in months.items()
    ]


def _holidays_within(
    days: Sequence[tuple[date, int]], half_days: Callable[[date], int], is_holiday: Callable[[date], bool]
) -> Iterator[tuple[date, int]]:
    """The public holidays on working days between two days of service without another working day in between."""
    dates = sorted({day for day, _ in days})
    for earlier, later in pairwise(dates):
        if later - earlier > MAX_GAP:
            continue
        between = [earlier + number * A_DAY for number in range(1, (later - earlier).days)]
        working = [day for day in between if half_days(day)]
        if all(is_holiday(day) for day in working):
            yield from ((day, half_days(day) * HALF_DAY_MILLIDAYS) for day in working)


def _month_millidays(month: Month, half_days: Callable[[date], int]) -> int:
    days = (month.first_day + number * A_DAY for number in range(month.last_day.day))
    return sum(half_days(day) for day in days) * HALF_DAY_MILLIDAYS
