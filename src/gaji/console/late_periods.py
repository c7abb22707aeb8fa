"""Pay dates that passed after that of the first unpaid period of a pay schedule."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import count, groupby, islice, takewhile

from gaji.company.waves.queries import PayCalendar, load_pay_calendars_of_waves
from gaji.console.formats import format_count
from gaji.core import clock
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.law.months import Month
from gaji.payroll.payslips.summaries import NextPeriod, load_last_days

MAX_LATER_PERIODS = 99
"""How many late periods after the first one are counted for a pay schedule."""


def list_later_late_periods(
    calendar: PayCalendar, offset: int, last_day: date, limit: int = MAX_LATER_PERIODS
) -> list[date]:
    """Return the last days of the periods after this one whose pay date has passed, up to a limit.

    `last_day` is the last one for which the pay schedule pays the employees of this period.
    """
    today = clock.today()
    later = (calendar.period(number) for number in count(offset + 1))
    late = takewhile(lambda period: period.pay_date < today and period.start <= last_day, later)
    return [period.end for period in islice(late, limit)]


async def load_later_late_periods(
    tx: Transaction, periods: Mapping[int, Sequence[NextPeriod]]
) -> Mapping[tuple[int, int], Sequence[date]]:
    """Return the last days of the periods whose pay date has passed since each late period, by wave and offset.

    `periods` has the unpaid periods of each client.
    """
    today = clock.today()
    late = [(client_id, item) for client_id, items in periods.items() for item in items if item.pay_date < today]
    if not late:
        return {}
    calendars = await load_pay_calendars_of_waves(tx, list({period.wave_id for _, period in late}))
    last_days = await load_last_days(tx, late)
    return await run_in_thread_if_many(
        len(late) * MAX_LATER_PERIODS,
        lambda: {
            (wave_id, offset): list_later_late_periods(calendars[wave_id], offset, last_day)
            for (wave_id, offset), last_day in last_days.items()
        },
    )


def late_periods_text(ends: Sequence[date], *, is_limited: bool = False) -> str:
    """Return how many periods are late, and their months, from their last days. Empty if only one is.

    `is_limited` says that a pay schedule has more late periods than are counted.

    >>> late_periods_text([date(2025, 12, 31), date(2026, 1, 31), date(2026, 2, 28)])
    '3 pay dates late: Dec 2025, Jan, Feb 2026'
    >>> late_periods_text([date(2026, 1, 2), date(2026, 1, 9), date(2026, 2, 6)], is_limited=True)
    '3 or more pay dates late: 2 in Jan, 1 in Feb 2026'
    """
    if len(ends) < 2:
        return ""
    number = f"{len(ends)} or more pay dates" if is_limited else format_count(len(ends), "pay date")
    return f"{number} late: {months_text(ends)}"


def months_text(days: Sequence[date]) -> str:
    """Return the names of the months, with the year once, and the number of days in each if a month has several."""
    counts = Counter(map(Month.from_date, days))
    has_several = max(counts.values(), default=0) > 1
    years = []
    for year, months in groupby(sorted(counts), key=lambda month: month.year):
        texts = [(f"{counts[month]} in " if has_several else "") + f"{month.first_day:%b}" for month in months]
        years.append(f"{', '.join(texts)} {year}")
    return ", ".join(years)
