"""Deadlines for the pay of a period, which corrections can miss."""

from dataclasses import dataclass
from datetime import date, timedelta

from gaji.core.law_loader import current_law
from gaji.law.pay.deadlines import salary_due

OVERTIME_DUE = timedelta(days=14)
"""How long after the period overtime may be paid (Employment Act 1968, s. 21)."""


@dataclass(frozen=True)
class PayDeadlines:
    """The last days on which the pay of a period may be paid."""

    period_end: date
    salary: date
    overtime: date


def find_missed_deadlines(period_end: date, pay_date: date) -> PayDeadlines | None:
    """Return the deadlines of a period if its salary is paid too late.

    >>> find_missed_deadlines(date(2026, 11, 30), date(2026, 12, 31)).overtime
    datetime.date(2026, 12, 14)
    >>> find_missed_deadlines(date(2026, 11, 30), date(2026, 12, 7)) is None
    True
    """
    salary = salary_due(current_law().pay, period_end)
    return PayDeadlines(period_end, salary, period_end + OVERTIME_DUE) if pay_date > salary else None
