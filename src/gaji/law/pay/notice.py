"""Notice periods if the contract does not state one (Employment Act 1968, ss. 10 and 11).

Notice is counted in calendar days, including the day on which it is given, rest days and holidays. Pay in lieu of
notice is the gross rate for its working days: `working_days.count_between`, then `days_at_rate`.
"""

import numpy as np

from gaji.law.columns import Dates
from gaji.law.length_of_service import ONE_DAY, completed_months_before, completed_weeks_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import Counts


def notice_days(parameters: PayParameters, month: Month, first_days: Dates, notice_dates: Dates) -> Counts:
    """The calendar days of notice, by the service completed at the start of the day on which notice is given."""
    scales = parameters.notice.at(month).value
    by_weeks = scales.by_weeks.at(completed_weeks_before(first_days, notice_dates))
    completed_years = completed_months_before(first_days, notice_dates) // MONTHS_PER_YEAR
    return np.maximum(by_weeks, scales.by_years.at(completed_years))


def last_days(notice_dates: Dates, calendar_days: Counts) -> Dates:
    """The last day of service after a notice."""
    return notice_dates + calendar_days * ONE_DAY - ONE_DAY
