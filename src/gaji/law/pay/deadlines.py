"""Payment deadlines (Employment Act 1968, s. 21)."""

from datetime import date, timedelta

from gaji.law.pay.parameters import PayParameters


def salary_due(parameters: PayParameters, period_end: date) -> date:
    """The last day on which the salary of a period may be paid."""
    return period_end + timedelta(days=parameters.salary_due.nearest(period_end).value)


def overtime_due(parameters: PayParameters, period_end: date) -> date:
    """The last day on which the overtime of a period may be paid."""
    return period_end + timedelta(days=parameters.overtime_due.nearest(period_end).value)
