"""Notice periods if the contract does not state one (Employment Act 1968, s. 10).

Notice is counted in calendar days, including the day on which it is given, rest days and holidays.
"""

from datetime import date, timedelta

from gaji.law.columns import date_column
from gaji.law.length_of_service import completed_months_before, completed_weeks_before
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.pay.parameters import PayParameters


def notice_days(parameters: PayParameters, first_day: date, notice_date: date) -> int:
    """The calendar days of notice, by the service completed at the start of the day on which notice is given."""
    scales = parameters.notice.nearest(notice_date).value
    first, day = date_column([first_day]), date_column([notice_date])
    by_weeks = scales.by_weeks.at(completed_weeks_before(first, day))
    by_years = scales.by_years.at(completed_months_before(first, day) // MONTHS_PER_YEAR)
    return int(max(by_weeks[0], by_years[0]))


def last_day_after_notice(parameters: PayParameters, first_day: date, notice_date: date) -> date:
    """The earliest last day of service after a notice of the statutory length."""
    return notice_date + timedelta(days=notice_days(parameters, first_day, notice_date) - 1)
