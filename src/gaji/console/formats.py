"""Amounts, dates, times and counts as people read them."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

from gaji.core import clock
from gaji.engine.money import format_dollars, to_cents
from gaji.law.explanation import long_period
from gaji.law.holidays import Holiday
from gaji.leave.days.duration import LeaveTime


def format_money(amount: int | str | Decimal) -> str:
    """Return an amount in dollars, from cents or from a decimal number of dollars.

    >>> format_money(123450), format_money("-0.5"), format_money(Decimal("1234567.89"))
    ('$1,234.50', '-$0.50', '$1,234,567.89')
    """
    return format_dollars(amount if isinstance(amount, int) else to_cents(amount))


@lru_cache(maxsize=4096)
def format_day(value: date | str | None) -> str:
    """Return a date, or a dash if there is none.

    >>> format_day("2026-03-01"), format_day(date(2026, 12, 31)), format_day(None)
    ('1 Mar 2026', '31 Dec 2026', '–')
    """
    if not value:
        return "–"
    day = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return f"{day.day} {day:%b %Y}"


def format_span(first: date | str, last: date | str) -> str:
    """Return the first and the last of several days, or the only one.

    >>> format_span("2026-03-01", "2026-03-04"), format_span("2026-03-01", "2026-03-01")
    ('1 Mar 2026 – 4 Mar 2026', '1 Mar 2026')
    """
    return format_day(first) if first == last else f"{format_day(first)} – {format_day(last)}"


def format_period(start: date, end: date) -> str:
    """Return a period.

    >>> format_period(date(2026, 1, 1), date(2026, 1, 31))
    '1–31 January 2026'
    """
    return long_period(start, end)


def format_month(value: date | str) -> str:
    """Return the month of a date.

    >>> format_month("2026-03"), format_month(date(2026, 12, 31))
    ('Mar 2026', 'Dec 2026')
    """
    day = date.fromisoformat(f"{value[:7]}-01") if isinstance(value, str) else value
    return f"{day:%b %Y}"


def format_timestamp(value: datetime | None) -> str:
    """Return a date and time in Singapore."""
    if value is None:
        return "never"
    local = value.astimezone(clock.SINGAPORE)
    return f"{format_day(local.date())}, {local:%H:%M}"


def format_count(number: int | float, singular: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> format_count(1, "payslip"), format_count(1200, "payslip"), format_count(0, "person", "people")
    ('1 payslip', '1,200 payslips', '0 people')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def format_leave(times: Sequence[LeaveTime], leave: str) -> str:
    """Return how much leave is taken from the balance, and the hours if they are the same on each date.

    >>> day, half = LeaveTime(date(2026, 3, 2), None, 1), LeaveTime(date(2026, 3, 3), 4, 0.5)
    >>> format_leave([day, day], "annual leave"), format_leave([half], "leave"), format_leave([half, half], "leave")
    ('2 days of annual leave', '0.5 days of leave (4 hours)', '1 day of leave (4 hours on each of 2 days)')
    >>> format_leave([day, half], "leave")
    '1.5 days of leave'
    """
    text = f"{format_count(sum_days(times), 'day')} of {leave}"
    first = times[0].hours
    if first is None or any(time.hours != first for time in times):
        return text
    hours = format_count(first, "hour")
    return f"{text} ({hours})" if len(times) == 1 else f"{text} ({hours} on each of {len(times)} days)"


def half_day_note(times: Sequence[LeaveTime]) -> str:
    """Return that whole dates count as half a day, or an empty text.

    >>> half_day_note([LeaveTime(date(2026, 3, 7), None, 0.5, is_half_working_day=True)])
    '7 Mar 2026 is a half working day and counts as half a day'
    >>> half_day_note([LeaveTime(date(2026, 3, 7), 2, 0.25, is_half_working_day=True)])
    '7 Mar 2026 is a half working day: the whole date counts as half a day'
    """
    dates = [time.date for time in times if time.is_half_working_day]
    if len(dates) > 1:
        return f"{len(dates)} half working days count as half a day each"
    if not dates:
        return ""
    is_whole = all(time.hours is None for time in times)
    effect = " and counts as half a day" if is_whole else ": the whole date counts as half a day"
    return f"{format_day(dates[0])} is a half working day{effect}"


def unpaid_holidays_sentence(holidays: Sequence[Holiday]) -> str:
    """Return that public holidays within unpaid leave are not paid.

    >>> unpaid_holidays_sentence([Holiday(date(2026, 12, 25), "Christmas Day")])
    'Not paid, because it is a public holiday within unpaid leave: 25 Dec 2026 (Christmas Day)'
    """
    reason = "it is a public holiday" if len(holidays) == 1 else "they are public holidays"
    names = [f"{format_day(holiday.day)} ({holiday.name})" for holiday in holidays]
    return f"Not paid, because {reason} within unpaid leave: {format_list(names)}"


def sum_days(times: Iterable[LeaveTime], less: float = 0) -> int | float:
    """Return the days that leave takes from the balance, less some days."""
    days = round(sum(time.days for time in times) - less, 3)
    return int(days) if days == int(days) else days


def format_list(parts: Sequence[str]) -> str:
    """Return the parts of an enumeration.

    >>> format_list(["3 May 2027", "5 May 2027", "2 more days"]), format_list(["3 May 2027"])
    ('3 May 2027, 5 May 2027 and 2 more days', '3 May 2027')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def initials(name: str) -> str:
    """Return two letters for a name or an email address."""
    return "".join(part[0] for part in re.split(r"[\s@.]+", name) if part)[:2].upper()


def capitalise(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
