"""Childcare, extended childcare and unpaid infant care leave, by year."""

import numpy as np

from gaji.law.columns import Flags
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.months import Month
from gaji.law.quantities import MILLI, Counts


def days_per_year(
    parameters: LeaveParameters, month: Month, months: Counts, citizen_under_7: Flags, other_under_7: Flags
) -> Counts:
    """The childcare leave of a year by completed months of service; less if no child under 7 is a citizen."""
    citizen = parameters.childcare.at(month).value.at(months)
    other = np.minimum(citizen, parameters.childcare_other_child.at(month).value)
    return np.select([citizen_under_7, other_under_7], [citizen, other], 0)


def extended_days(
    parameters: LeaveParameters, month: Month, months: Counts, citizen_7_to_12: Flags, childcare: Counts
) -> Counts:
    """The leave for a child aged 7 to 12, limited together with the childcare leave of the same year."""
    extended = parameters.extended_childcare.at(month).value
    days = np.minimum(np.maximum(extended.max_with_childcare - childcare, 0), extended.days)
    return np.where(citizen_7_to_12 & (months >= extended.min_months), days, 0)


def days_left_for_child(parameters: LeaveParameters, month: Month, taken_for_child: Counts) -> Counts:
    """The days left of the lifetime maximum for one child."""
    return np.maximum(parameters.childcare_lifetime.at(month).value - taken_for_child, 0)


def infant_care_days(parameters: LeaveParameters, month: Month, months: Counts, citizen_under_2: Flags) -> Counts:
    """The unpaid infant care leave of a year."""
    infant_care = parameters.infant_care.at(month).value
    return np.where(citizen_under_2 & (months >= infant_care.min_months), infant_care.days, 0)


def part_time_millidays(
    parameters: LeaveParameters, month: Month, days: int, hours: PartTimeHours, *, has_minimum: bool
) -> int:
    """The own days of a part-time employee for the days of a full-time employee, in thousandths.

    Childcare and extended childcare leave have a minimum, which is never more than a full-time employee has.
    """
    part_time = parameters.part_time_childcare.at(month).value
    if not part_time.by_hours:
        return days * MILLI
    minimum = min(days, part_time.min_days) if has_minimum else 0
    return max(hours.share_millidays(days * MILLI), minimum * MILLI)
