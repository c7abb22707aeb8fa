"""Singapore's public holidays: those of the package `holidays`, and the days that a parameter file adds or removes.

A holiday on a Sunday makes the next day that is none itself a holiday too (Holidays Act 1998), also when that is
the Tuesday; one on a Saturday is not moved.
"""

from gaji.law.holidays.calendar import ACT, Holiday, HolidayCalendar
from gaji.law.holidays.explanations import explain, explain_year, holiday_parameters
from gaji.law.holidays.loader import package_holidays, read_calendar

__all__ = [
    "ACT",
    "Holiday",
    "HolidayCalendar",
    "explain",
    "explain_year",
    "holiday_parameters",
    "package_holidays",
    "read_calendar",
]
