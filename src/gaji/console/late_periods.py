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
from gaji.payroll.payslips.summaries import NextPeriod

MAX_PERIODS_BEHIND = 99
"""How many late periods of a pay schedule are counted."""


def list_periods_behind(calendar: PayCalendar, offset: int, limit: int = MAX_PERIODS_BEHIND) -> list[date]:
    """Return the last days of the periods after this one whose pay date has passed, up to a limit."""
    today = clock.today()
    later = (calendar.period(number) for number in count(offset + 1))
    return [period.end for period in islice(takewhile(lambda period: period.pay_date < today, later), limit)]


async def load_periods_behind(
    tx: Transaction, periods: Sequence[NextPeriod]
) -> Mapping[tuple[int, int], Sequence[date]]:
    """Return the last days of the periods whose pay date has passed since each late period, by wave and offset."""
    late = [period for period in periods if period.pay_date < clock.today()]
    if not late:
        return {}
    calendars = await load_pay_calendars_of_waves(tx, list({period.wave_id for period in late}))
    return await run_in_thread_if_many(
        len(late) * MAX_PERIODS_BEHIND,
        lambda: {
            (period.wave_id, period.offset): list_periods_behind(calendars[period.wave_id], period.offset)
            for period in late
        },
    )


def late_periods_text(ends: Sequence[date]) -> str:
    """Return how many periods are late, and their months, from their last days. Empty if only one is.

    >>> late_periods_text([date(2025, 12, 31), date(2026, 1, 31), date(2026, 2, 28)])
    '3 pay dates late: Dec 2025, Jan, Feb 2026'
    >>> late_periods_text([date(2026, 1, 2), date(2026, 1, 9), date(2026, 2, 6)])
    '3 pay dates late: Jan (2), Feb 2026'
    """
    if len(ends) < 2:
        return ""
    more = " or more" if len(ends) > MAX_PERIODS_BEHIND else ""
    return f"{format_count(len(ends), 'pay date')}{more} late: {months_text(ends)}"


def months_text(days: Sequence[date]) -> str:
    """Return the names of the months, with the year once and the number of days if a month has several."""
    counts = Counter(map(Month.from_date, days))
    years = []
    for year, months in groupby(sorted(counts), key=lambda month: month.year):
        texts = [f"{month.first_day:%b}" + (f" ({counts[month]})" if counts[month] > 1 else "") for month in months]
        years.append(f"{', '.join(texts)} {year}")
    return ", ".join(years)
