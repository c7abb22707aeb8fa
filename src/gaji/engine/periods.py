"""Pay periods: convert between a period's end date and its offset.

A wave pays weekly, fortnightly, monthly or twice a month. The offset of a period is its distance in periods from the
one that ends on the wave's anchor, a date in January 2008. Every end date has exactly one offset, which is negative
before the anchor.

Days 29, 30 and 31 fall back to the last day of a shorter month.

>>> monthly = PaySchedule("monthly", last_day=31)
>>> monthly.anchor, monthly.end(1), monthly.offset(date(2024, 2, 29))
(datetime.date(2008, 1, 31), datetime.date(2008, 2, 29), 193)
>>> PaySchedule("twice_a_month", last_day=31, interim_day=15).end(1)
datetime.date(2008, 2, 15)
"""

from calendar import day_name, monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

Frequency = Literal["weekly", "fortnightly", "twice_a_month", "monthly"]

EPOCH = date(2008, 1, 1)
"""The first day of the month that contains all anchors."""
CYCLE_DAYS = {"weekly": 7, "fortnightly": 14}
CYCLES: dict[str, tuple[int, int]] = {
    "weekly": (0, 1),
    "fortnightly": (0, 2),
    "twice_a_month": (1, 0),
    "monthly": (1, 0),
}
"""The months and weeks in a cycle of each frequency."""
MAX_DAY_IN_EVERY_MONTH = 28
"""The last day of the month that exists in every month."""


class NotAPeriodEnd(ValueError):
    """No period of the schedule ends on the date. It has the nearest end dates."""

    def __init__(self, day: date, previous: date, next_end: date) -> None:
        super().__init__(f"{day} is not the end of a period; the nearest end dates are {previous} and {next_end}")
        self.params = {"date": day, "previous": previous, "next": next_end}


@dataclass(frozen=True)
class PaySchedule:
    """The end dates of a wave's periods.

    Weekly and fortnightly: end dates repeat from `anchor_day` of January 2008, 1 to 7 or 1 to 14.
    Monthly and twice a month: `last_day` and `interim_day` are days of the month.
    """

    frequency: Frequency
    last_day: int = 31
    interim_day: int | None = None
    anchor_day: int = 1

    @property
    def anchor(self) -> date:
        """The end date of the period with offset 0."""
        return self.end(0)

    @property
    def interim_anchor(self) -> date | None:
        """The interim end date in January 2008. None unless the wave pays twice a month."""
        return None if self.interim_day is None else _day_of_month(0, self.interim_day)

    def end(self, offset: int) -> date:
        """The end date of the period with this offset."""
        if self.frequency in CYCLE_DAYS:
            return EPOCH + timedelta(days=self.anchor_day - 1 + offset * CYCLE_DAYS[self.frequency])
        if self.interim_day is None:
            return _day_of_month(offset, self.last_day)
        month, interim = divmod(offset, 2)
        if not interim:
            return _day_of_month(month, self.last_day)
        # The next interim end date is in the following month if the interim day is before the last day.
        return _day_of_month(month + (self.interim_day < self.last_day), self.interim_day)

    def start(self, offset: int) -> date:
        """The start date of the period with this offset."""
        return self.end(offset - 1) + timedelta(days=1)

    def offset_containing(self, day: date) -> int:
        """The offset of the period that contains this day."""
        if self.frequency in CYCLE_DAYS:
            since = (day - self.anchor).days
            return -(-since // CYCLE_DAYS[self.frequency])
        months = (day.year - EPOCH.year) * 12 + day.month - EPOCH.month
        offset = (months - 1) * (1 if self.interim_day is None else 2)
        while self.end(offset) < day:
            offset += 1
        return offset

    def offset(self, end: date) -> int:
        """The offset of the period that ends on this date. Raises NotAPeriodEnd."""
        offset = self.offset_containing(end)
        if self.end(offset) != end:
            raise NotAPeriodEnd(end, self.end(offset - 1), self.end(offset))
        return offset

    @property
    def label(self) -> str:
        """The schedule as people read it."""
        if self.frequency in CYCLE_DAYS:
            return f"{self.frequency.capitalize()}, ending on {day_name[self.anchor.weekday()]}"
        if self.interim_day is None:
            return f"Monthly, ending on {_day_label(self.last_day)}"
        first, second = sorted((self.interim_day, self.last_day))
        return f"Twice a month, ending on {_day_label(first)} and {_day_label(second)}"


def schedule_from_first_end(
    frequency: Frequency, first_end: date, last_day: int | None = None, interim_day: int | None = None
) -> PaySchedule:
    """The schedule of a wave whose first period ends on this date. Raises NotAPeriodEnd if its days do not match."""
    if frequency in CYCLE_DAYS:
        anchor_day = (first_end - EPOCH).days % CYCLE_DAYS[frequency] + 1
        return PaySchedule(frequency, anchor_day=anchor_day)
    if last_day is None:
        raise ValueError(f"a {frequency} schedule needs its last day of the month")
    schedule = PaySchedule(frequency, last_day, interim_day if frequency == "twice_a_month" else None)
    schedule.offset(first_end)
    return schedule


@lru_cache(maxsize=10_000)
def _day_of_month(months: int, day: int) -> date:
    """A day of the month, `months` after January 2008, or the last day of a shorter month."""
    year, month = divmod(EPOCH.month - 1 + months, 12)
    year += EPOCH.year
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))


def _day_label(day: int) -> str:
    return "the last day" if day == 31 else f"day {day}"
