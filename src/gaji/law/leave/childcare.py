"""Leave for children who are born: childcare, extended childcare and unpaid infant care leave, by year."""

import numpy as np

from gaji.law.columns import Flags
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.quantities import Counts


def days_per_year(
    parameters: LeaveParameters, month: Month, months: Counts, citizen_under_7: Flags, other_under_7: Flags
) -> Counts:
    """The childcare leave of a year by completed months of service; a child that is no citizen gives less."""
    whole = parameters.childcare.at(month).value.at(months)
    other = np.minimum(whole, parameters.childcare_other_child.at(month).value)
    return np.select([citizen_under_7, other_under_7], [whole, other], 0)


def extended_days(
    parameters: LeaveParameters, month: Month, months: Counts, citizen_7_to_12: Flags, childcare: Counts
) -> Counts:
    """The leave for a child from 7 to 12, beside the childcare leave of the same year up to both together."""
    extended = parameters.extended_childcare.at(month).value
    room = np.minimum(np.maximum(extended.with_childcare - childcare, 0), extended.days)
    return np.where(citizen_7_to_12 & (months >= extended.least_months), room, 0)


def days_left_for_child(parameters: LeaveParameters, month: Month, taken_for_child: Counts) -> Counts:
    """The days that are left of those that one child gives in all years together."""
    return np.maximum(parameters.childcare_lifetime.at(month).value - taken_for_child, 0)


def days_paid_by_government(parameters: LeaveParameters, month: Month, taken: Counts) -> Counts:
    """Of the childcare leave taken in a year, the days after those that the employer bears."""
    return np.maximum(taken - parameters.childcare_paid_by_employer.at(month).value, 0)


def infant_care_days(parameters: LeaveParameters, month: Month, months: Counts, citizen_under_2: Flags) -> Counts:
    """The unpaid infant care leave of a year."""
    infant_care = parameters.infant_care.at(month).value
    return np.where(citizen_under_2 & (months >= infant_care.least_months), infant_care.days, 0)
