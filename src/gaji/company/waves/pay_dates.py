"""Pay dates: when the payslips of a wave are paid, if not at the end of the period.

>>> pay_date(None, date(2026, 1, 31), interim=False)
datetime.date(2026, 1, 31)
>>> pay_date(PayDates(enabled=True, type="relative", days_offset=3, when="after"), date(2026, 1, 31), interim=False)
datetime.date(2026, 2, 3)
>>> pay_date(PayDates(enabled=True, type="fixed", day=31, when="next"), date(2026, 1, 31), interim=False)
datetime.date(2026, 2, 28)
>>> moved = PayDates(enabled=True, type="fixed", day=31, when="current", non_working_day="previous")
>>> pay_date(moved, date(2026, 1, 31), interim=False)
datetime.date(2026, 1, 30)
"""

from calendar import monthrange
from datetime import date, timedelta
from typing import TypeVar

import msgspec

from gaji.core.law_loader import current_law
from gaji.law.due_dates import next_working_day, previous_working_day

PREVIOUS, NEXT = "previous", "next"
MONTHS_LATER = {"previous": -1, "current": 0, "next": 1}

T = TypeVar("T")


class PayDates(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The pay dates of a wave. Which attributes are set depends on `type`."""

    enabled: bool
    type: str | None = None
    days_offset: int | None = None
    when: str | None = None
    day: int | None = None
    interim_day: int | None = None
    interim_when: str | None = None
    non_working_day: str | None = None
    """What happens to a pay date that is not a working day: it stays (None or `keep`) or moves."""


def pay_date(pay_dates: PayDates | None, end: date, *, interim: bool) -> date:
    """The pay date of the period that ends on a date. `interim` is the first half of a twice-a-month wave."""
    if pay_dates is None or not pay_dates.enabled:
        return end
    return _working_day(_scheduled_date(pay_dates, end, interim=interim), pay_dates.non_working_day)


def _working_day(day: date, non_working_day: str | None) -> date:
    """Move a day that is not a working day, as the wave says."""
    if non_working_day == PREVIOUS:
        return previous_working_day(day, current_law().holidays)
    return next_working_day(day, current_law().holidays) if non_working_day == NEXT else day


def _scheduled_date(pay_dates: PayDates, end: date, *, interim: bool) -> date:
    if pay_dates.type == "relative":
        days = timedelta(days=_present(pay_dates.days_offset))
        return end + days if pay_dates.when == "after" else end - days
    when, day = (pay_dates.interim_when, pay_dates.interim_day) if interim else (pay_dates.when, pay_dates.day)
    return _day_of_month(end, MONTHS_LATER[_present(when)], _present(day))


def _present(value: T | None) -> T:
    if value is None:
        raise ValueError("the pay dates are incomplete")
    return value


def _day_of_month(end: date, months_later: int, day: int) -> date:
    """A day of a month near the end date, or the last day of a shorter month."""
    year, month = divmod(end.year * 12 + end.month - 1 + months_later, 12)
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))
