"""Sick leave (Employment Act 1968, s. 89), by completed months of service, without and with hospitalisation.

The days with hospitalisation include the outpatient days: both kinds of leave taken count against them.
"""

import numpy as np

from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.quantities import Counts


def outpatient_days(parameters: LeaveParameters, month: Month, months: Counts) -> Counts:
    """The outpatient sick leave of a year, by completed months of service."""
    return parameters.sick.at(month).value.outpatient.at(months)


def with_hospitalisation_days(parameters: LeaveParameters, month: Month, months: Counts) -> Counts:
    """The sick leave of a year with hospitalisation, including the outpatient days."""
    return parameters.sick.at(month).value.with_hospitalisation.at(months)


def outpatient_days_left(
    parameters: LeaveParameters, month: Month, months: Counts, outpatient_taken: Counts, hospitalisation_taken: Counts
) -> Counts:
    """The outpatient days left, limited by the days left with hospitalisation."""
    outpatient_left: Counts = outpatient_days(parameters, month, months) - outpatient_taken
    total_left = hospitalisation_days_left(parameters, month, months, outpatient_taken, hospitalisation_taken)
    left: Counts = np.minimum(np.maximum(outpatient_left, 0), total_left)
    return left


def hospitalisation_days_left(
    parameters: LeaveParameters, month: Month, months: Counts, outpatient_taken: Counts, hospitalisation_taken: Counts
) -> Counts:
    """The days left with hospitalisation, after both kinds of leave taken."""
    total = with_hospitalisation_days(parameters, month, months)
    left: Counts = np.maximum(total - outpatient_taken - hospitalisation_taken, 0)
    return left
