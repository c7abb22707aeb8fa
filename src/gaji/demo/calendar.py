"""When the demo's company pays: one wave of each frequency, from the first month that it shows."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from gaji.company.waves.facts import WaveFacts
from gaji.demo.people import day_of_month
from gaji.engine.periods import Frequency
from gaji.law.months import Month

A_DAY = timedelta(days=1)
SUNDAY = 7


def first_day(today: date, months: int) -> date:
    """The first day of the first month that is paid: so many months before this one."""
    return day_of_month(today, -months, 1)


def waves(since: date) -> Mapping[Frequency, dict[str, Any]]:
    """A wave of each frequency as the API takes it; its first period is the first to end in the month that begins here.

    Those by weeks end on a Sunday.
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


def paid(waves: Mapping[int, WaveFacts], today: date, covered_until: Month) -> list[tuple[date, int]]:
    """The periods that are paid, each by its last day and its wave, in the order of time.

    They go up to the last complete month; or to the last that the law covers, because no run can be finalised beyond.
    """
    until = min(today.replace(day=1) - A_DAY, covered_until.last_day)
    return sorted((end, wave_id) for wave_id, wave in waves.items() for end in _ends(wave, until))


def _ends(wave: WaveFacts, until: date) -> Iterator[date]:
    offset = wave.first_offset
    while (end := wave.schedule.end(offset)) <= until:
        yield end
        offset += 1
