"""Singapore's public holidays: those of the `holidays` package, and days that a parameter file adds or removes.

If a holiday falls on a Sunday, the next day that is not itself a holiday is a holiday too (Holidays Act 1998), even if
that is the Tuesday. A holiday on a Saturday is not moved.
"""

from gaji.law.holidays.calendar import ACT, Holiday, HolidayCalendar
from gaji.law.holidays.loader import package_holidays, read_calendar

__all__ = [
    "ACT",
    "Holiday",
    "HolidayCalendar",
    "package_holidays",
    "read_calendar",
]
