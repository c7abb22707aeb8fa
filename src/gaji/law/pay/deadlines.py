"""By when pay is due (Employment Act 1968, ss. 21 to 23)."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gaji.law.columns import Codes, Days
from gaji.law.holidays import Holidays
from gaji.law.months import Month
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import OFF, Weeks


class Ending(IntEnum):
    """How a service ended, as far as the last pay goes by it."""

    RESIGNED_WITH_NOTICE = 0
    RESIGNED_WITHOUT_NOTICE = 1
    DISMISSED = 2
    TERMINATED = 3


@dataclass(frozen=True)
class Due:
    """When pay is due, and the last day on which it may be paid where that was not possible."""

    on: Days
    at_latest: Days


def salary(parameters: PayParameters, month: Month, period_ends: Days) -> Days:
    """The last day on which the salary of a period may be paid."""
    return period_ends + np.timedelta64(parameters.salary_due.at(month).value, "D")


def overtime(parameters: PayParameters, month: Month, period_ends: Days) -> Days:
    """The last day on which the overtime of a period may be paid."""
    return period_ends + np.timedelta64(parameters.overtime_due.at(month).value, "D")


def last_salary(
    parameters: PayParameters, month: Month, holidays: Holidays, endings: Codes, last_days: Days, weeks: Weeks
) -> Due:
    """When the last salary is due, by how the service ended.

    Working days are those of the person's own week that are no public holidays.
    """
    later = last_days + np.timedelta64(parameters.resigned_without_notice_due.at(month).value, "D")
    working_days = parameters.ended_by_employer_due.at(month).value
    by_employer = (endings == Ending.DISMISSED) | (endings == Ending.TERMINATED)
    without_notice = endings == Ending.RESIGNED_WITHOUT_NOTICE
    latest = np.where(without_notice, later, last_days)
    for week in np.unique(weeks[by_employer], axis=0):
        whose = by_employer & (weeks == week).all(axis=1)
        latest[whose] = np.busday_offset(
            last_days[whose], working_days, roll="backward", weekmask=week != OFF, holidays=holidays.in_columns
        )
    holidays.check(latest)
    return Due(on=np.where(without_notice, later, last_days), at_latest=latest)
