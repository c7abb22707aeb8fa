"""Annual leave (Employment Act 1968, s. 88A): a scale by year of service, prorated in an incomplete year."""

import numpy as np

from gaji.law.columns import Dates
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.length_of_service import completed_months, year_of_service
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.quantities import MILLI, Counts, Millis
from gaji.law.rounding import divide_half_up


def entitled_days(parameters: LeaveParameters, month: Month, years_of_service: Counts) -> Counts:
    """The annual leave for a full year of service; years are counted from 1."""
    return parameters.annual.at(month).value.at(years_of_service)


def prorated_days(entitlement_millidays: Millis, months: Counts) -> Counts:
    """An entitlement for some of the twelve months, rounded to the nearest day, halves up."""
    unit = MONTHS_PER_YEAR * MILLI
    return divide_half_up(entitlement_millidays * np.clip(months, 0, MONTHS_PER_YEAR), unit)


def earned_days(parameters: LeaveParameters, month: Month, first_days: Dates, last_days: Dates) -> Counts:
    """The annual leave earned in the current year of service, in proportion to its completed months.

    Zero before the minimum service is complete.
    """
    years, months = year_of_service(first_days, last_days), completed_months(first_days, last_days)
    entitled = entitled_days(parameters, month, years) * MILLI
    earned = prorated_days(entitled, months - MONTHS_PER_YEAR * (years - 1))
    return np.where(months >= parameters.annual_min_months.at(month).value, earned, 0)
