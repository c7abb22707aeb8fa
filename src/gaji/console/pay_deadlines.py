"""Deadlines for the pay of a period, which corrections can miss."""

from dataclasses import dataclass
from datetime import date

from gaji.core.law_loader import current_law
from gaji.law.pay.deadlines import overtime_due, salary_due


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
    parameters = current_law().pay
    salary = salary_due(parameters, period_end)
    return PayDeadlines(period_end, salary, overtime_due(parameters, period_end)) if pay_date > salary else None
