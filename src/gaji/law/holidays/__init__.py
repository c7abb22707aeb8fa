"""Singapore's public holidays: those of the package `holidays`, and the days that a parameter file adds or removes.

A holiday on a Sunday makes the next day that is none itself a holiday too (Holidays Act 1998), also when that is
the Tuesday; one on a Saturday is not moved.
"""

from gaji.law.holidays.calendar import ACT, Holiday, Holidays
from gaji.law.holidays.explanations import explain, explain_year, shown
from gaji.law.holidays.loader import of_package, read

__all__ = ["ACT", "Holiday", "Holidays", "explain", "explain_year", "of_package", "read", "shown"]
