"""By when pay is due (Employment Act 1968, ss. 21 to 23)."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gaji.law.columns import Codes, Dates
from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks


class TerminationKind(IntEnum):
    """How a service ended, as far as the last pay goes by it."""

    RESIGNED_WITH_NOTICE = 0
    RESIGNED_WITHOUT_NOTICE = 1
    DISMISSED = 2
    TERMINATED = 3


@dataclass(frozen=True)
class FinalSalaryDue:
    """When pay is due, and the last day on which it may be paid where that was not possible."""

    due_on: Dates
    latest_on: Dates


def salary_due(parameters: PayParameters, month: Month, period_ends: Dates) -> Dates:
    """The last day on which the salary of a period may be paid."""
    return period_ends + np.timedelta64(parameters.salary_due.at(month).value, "D")


def overtime_due(parameters: PayParameters, month: Month, period_ends: Dates) -> Dates:
    """The last day on which the overtime of a period may be paid."""
    return period_ends + np.timedelta64(parameters.overtime_due.at(month).value, "D")


def final_salary_due(
    parameters: PayParameters, month: Month, holidays: HolidayCalendar, endings: Codes, last_days: Dates, weeks: Weeks
) -> FinalSalaryDue:
    """When the last salary is due, by how the service ended.

    Working days are those of the person's own week that are no public holidays.
    """
    later = last_days + np.timedelta64(parameters.resigned_without_notice_due.at(month).value, "D")
    working_days = parameters.terminated_by_employer_due.at(month).value
    by_employer = (endings == TerminationKind.DISMISSED) | (endings == TerminationKind.TERMINATED)
    without_notice = endings == TerminationKind.RESIGNED_WITHOUT_NOTICE
    latest = np.where(without_notice, later, last_days)
    for week in np.unique(weeks[by_employer], axis=0):
        whose = by_employer & (weeks == week).all(axis=1)
        latest[whose] = np.busday_offset(
            last_days[whose], working_days, roll="backward", weekmask=week != OFF, holidays=holidays.dates
        )
    holidays.require_covered(latest)
    return FinalSalaryDue(due_on=np.where(without_notice, later, last_days), latest_on=latest)
