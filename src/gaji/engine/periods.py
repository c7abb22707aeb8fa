"""Pay periods: how a wave's end dates and their offsets count each other.

A wave pays weekly, fortnightly, monthly or twice a month. Each of its periods ends on one date; the offset of a period
is how many periods it lies after the one that ends on the wave's anchor, a date in January 2008. An end date and its
offset are interchangeable, before the anchor as well as after it.

Days 29, 30 and 31 fall back to the last day of a month that is shorter.

>>> monthly = Schedule("monthly", last_day=31)
>>> monthly.anchor, monthly.end(1), monthly.offset(date(2024, 2, 29))
(datetime.date(2008, 1, 31), datetime.date(2008, 2, 29), 193)
>>> Schedule("twice_a_month", last_day=31, interim_day=15).end(1)
datetime.date(2008, 2, 15)
"""

from calendar import day_name, monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

Frequency = Literal["weekly", "fortnightly", "twice_a_month", "monthly"]

EPOCH = date(2008, 1, 1)
"""The anchors lie in the month that begins here."""
CYCLE_DAYS = {"weekly": 7, "fortnightly": 14}
CYCLES: dict[str, tuple[int, int]] = {
    "weekly": (0, 1),
    "fortnightly": (0, 2),
    "twice_a_month": (1, 0),
    "monthly": (1, 0),
}
"""Months and weeks of a wave's cycle."""
MAX_DAY_IN_EVERY_MONTH = 28
"""Up to this day, every month has it."""


class NotAPeriodEnd(ValueError):
    """No period of this schedule ends on that date; the message says which dates near it do."""


@dataclass(frozen=True)
class Schedule:
    """When the periods of a wave end.

    By days (weekly, fortnightly): the ends repeat from `anchor_day` of January 2008, 1 to 7 or 1 to 14.
    By months: `last_day`, and for twice a month also `interim_day`, are days of the month.
    """

    frequency: Frequency
    last_day: int = 31
    interim_day: int | None = None
    anchor_day: int = 1

    @property
    def anchor(self) -> date:
        """The end of the period with offset 0."""
        return self.end(0)

    @property
    def interim_anchor(self) -> date | None:
        """The interim end in January 2008, for a wave that pays twice a month."""
        return None if self.interim_day is None else _day_of_month(0, self.interim_day)

    def end(self, offset: int) -> date:
        """The date on which the period with this offset ends."""
        if self.frequency in CYCLE_DAYS:
            return EPOCH + timedelta(days=self.anchor_day - 1 + offset * CYCLE_DAYS[self.frequency])
        if self.interim_day is None:
            return _day_of_month(offset, self.last_day)
        month, interim = divmod(offset, 2)
        if not interim:
            return _day_of_month(month, self.last_day)
        # The interim end that follows is in the next month when the interim day comes before the last day.
        return _day_of_month(month + (self.interim_day < self.last_day), self.interim_day)

    def start(self, offset: int) -> date:
        """The date on which the period with this offset begins."""
        return self.end(offset - 1) + timedelta(days=1)

    def offset_containing(self, day: date) -> int:
        """The offset of the period that this day lies in."""
        if self.frequency in CYCLE_DAYS:
            since = (day - self.anchor).days
            return -(-since // CYCLE_DAYS[self.frequency])
        months = (day.year - EPOCH.year) * 12 + day.month - EPOCH.month
        offset = (months - 1) * (1 if self.interim_day is None else 2)
        while self.end(offset) < day:
            offset += 1
        return offset

    def offset(self, end: date) -> int:
        """The offset of the period that ends on this date; raises NotAPeriodEnd when none does."""
        offset = self.offset_containing(end)
        if self.end(offset) != end:
            raise NotAPeriodEnd(f"{end} ends no period; the nearest end {self.end(offset - 1)} and {self.end(offset)}")
        return offset

    @property
    def label(self) -> str:
        """The schedule in words."""
        if self.frequency in CYCLE_DAYS:
            return f"{self.frequency.capitalize()}, ending on {day_name[self.anchor.weekday()]}"
        if self.interim_day is None:
            return f"Monthly, ending on {_spoken(self.last_day)}"
        first, second = sorted((self.interim_day, self.last_day))
        return f"Twice a month, ending on {_spoken(first)} and {_spoken(second)}"


def schedule_from_first_end(
    frequency: Frequency, first_end: date, last_day: int | None = None, interim_day: int | None = None
) -> Schedule:
    """The schedule of a wave whose first period ends on this date; raises NotAPeriodEnd when its days forbid it."""
    if frequency in CYCLE_DAYS:
        anchor_day = (first_end - EPOCH).days % CYCLE_DAYS[frequency] + 1
        return Schedule(frequency, anchor_day=anchor_day)
    if last_day is None:
        raise ValueError(f"a wave that pays {frequency} needs its last day of the month")
    schedule = Schedule(frequency, last_day, interim_day if frequency == "twice_a_month" else None)
    schedule.offset(first_end)
    return schedule


@lru_cache(maxsize=10_000)
def _day_of_month(months: int, day: int) -> date:
    """A day of the month so many months after January 2008, or the month's last day where it is shorter."""
    year, month = divmod(EPOCH.month - 1 + months, 12)
    year += EPOCH.year
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))


def _spoken(day: int) -> str:
    return "the last day" if day == 31 else f"day {day}"
