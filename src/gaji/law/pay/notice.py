"""Notice where the contract says nothing (Employment Act 1968, ss. 10 and 11).

It is counted in calendar days, the day on which it is given included, rest days and holidays too. What is paid in its
place is the gross rate of the working days in it: `working_days.between`, then `days_at_rate`.
"""

import numpy as np

from gaji.law.columns import Dates
from gaji.law.length_of_service import ONE_DAY, completed_months_before, completed_weeks_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import Counts


def notice_days(parameters: PayParameters, month: Month, first_days: Dates, given_on: Dates) -> Counts:
    """The notice by the service that is complete when the day begins on which it is given."""
    notice = parameters.notice.at(month).value
    by_weeks = notice.by_weeks.at(completed_weeks_before(first_days, given_on))
    return np.maximum(by_weeks, notice.by_years.at(completed_months_before(first_days, given_on) // MONTHS_PER_YEAR))


def last_days(given_on: Dates, calendar_days: Counts) -> Dates:
    """The last day of service under a notice."""
    return given_on + calendar_days * ONE_DAY - ONE_DAY
