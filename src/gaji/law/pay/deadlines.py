"""Payment deadlines (Employment Act 1968, ss. 21 to 23)."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gaji.law.columns import Codes, Dates
from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks


class TerminationKind(IntEnum):
    """How a service ended, as far as the final salary deadline depends on it."""

    RESIGNED_WITH_NOTICE = 0
    RESIGNED_WITHOUT_NOTICE = 1
    DISMISSED = 2
    TERMINATED = 3


@dataclass(frozen=True)
class FinalSalaryDue:
    """When the final salary is due, and the latest day if paying on that day is not possible."""

    due_on: Dates
    latest_on: Dates


def salary_due(parameters: PayParameters, month: Month, period_ends: Dates) -> Dates:
    """The last day on which the salary of a period may be paid."""
    return period_ends + np.timedelta64(parameters.salary_due.at(month).value, "D")


def overtime_due(parameters: PayParameters, month: Month, period_ends: Dates) -> Dates:
    """The last day on which the overtime of a period may be paid."""
    return period_ends + np.timedelta64(parameters.overtime_due.at(month).value, "D")


def final_salary_due(
    parameters: PayParameters,
    month: Month,
    calendar: HolidayCalendar,
    terminations: Codes,
    last_days: Dates,
    weeks: Weeks,
) -> FinalSalaryDue:
    """When the final salary is due, depending on how the service ended.

    Working days are the working days of the person's own week, without public holidays.
    """
    delayed = last_days + np.timedelta64(parameters.resigned_without_notice_due.at(month).value, "D")
    working_days = parameters.terminated_by_employer_due.at(month).value
    by_employer = (terminations == TerminationKind.DISMISSED) | (terminations == TerminationKind.TERMINATED)
    without_notice = terminations == TerminationKind.RESIGNED_WITHOUT_NOTICE
    latest = np.where(without_notice, delayed, last_days)
    for week in np.unique(weeks[by_employer], axis=0):
        same_week = by_employer & (weeks == week).all(axis=1)
        latest[same_week] = np.busday_offset(
            last_days[same_week], working_days, roll="backward", weekmask=week != OFF, holidays=calendar.dates
        )
    calendar.require_covered(latest)
    return FinalSalaryDue(due_on=np.where(without_notice, delayed, last_days), latest_on=latest)
