"""The pay periods of the demo company: one wave of each frequency."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from gaji.company.waves.queries import PayCalendar
from gaji.demo.people import day_of_month
from gaji.engine.periods import Frequency
from gaji.law.months import Month

ONE_DAY = timedelta(days=1)
SUNDAY = 7


def first_day(today: date, months: int) -> date:
    """Return the first day of the first month that is paid, counted back from the current month."""
    return day_of_month(today, -months, 1)


def wave_bodies(since: date) -> Mapping[Frequency, dict[str, Any]]:
    """Return the request body of a wave for each frequency.

    The first period of a wave is the first one that ends in the month that starts on `since`. Weekly periods end on
    Sundays.
    """
    last = day_of_month(since, 0, 31).isoformat()
    sunday = (since + timedelta(days=SUNDAY - since.isoweekday())).isoformat()
    return {
        "monthly": {"last_day_of_month": 31, "first_end_date": last},
        "twice_a_month": {
            "interim_day_of_month": 15,
            "last_day_of_month": 31,
            "first_end_date": day_of_month(since, 0, 15).isoformat(),
            "pay_dates": {
                "enabled": True,
                "type": "fixed",
                "day": 5,
                "when": "next",
                "interim_day": 20,
                "interim_when": "current",
            },
        },
        "fortnightly": {"first_end_date": sunday},
        "weekly": {"first_end_date": sunday, "custom_name": "Casual staff"},
    }


def paid_periods(calendars: Mapping[int, PayCalendar], today: date, covered_until: Month) -> list[tuple[date, int]]:
    """Return the last day and the wave of each period to pay, in chronological order.

    The last period ends in the last complete month, or in the last month covered by the law, after which no run can be
    finalised.
    """
    until = min(today.replace(day=1) - ONE_DAY, covered_until.last_day)
    return sorted((end, wave_id) for wave_id, calendar in calendars.items() for end in _period_ends(calendar, until))


def _period_ends(calendar: PayCalendar, until: date) -> Iterator[date]:
    offset = calendar.first_offset
    while (end := calendar.schedule.end(offset)) <= until:
        yield end
        offset += 1
