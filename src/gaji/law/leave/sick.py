"""Sick leave (Employment Act 1968, s. 89): by completed months of service, without and with hospitalisation.

The days with hospitalisation include those without: both kinds count against them.
"""

import numpy as np

from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.quantities import Counts


def outpatient_days(parameters: LeaveParameters, month: Month, months: Counts) -> Counts:
    """The sick leave of a year without hospitalisation, by completed months of service."""
    return parameters.sick.at(month).value.outpatient.at(months)


def with_hospitalisation_days(parameters: LeaveParameters, month: Month, months: Counts) -> Counts:
    """The sick leave of a year with hospitalisation, the days without included."""
    return parameters.sick.at(month).value.with_hospitalisation.at(months)


def outpatient_days_left(
    parameters: LeaveParameters, month: Month, months: Counts, outpatient_taken: Counts, hospitalisation_taken: Counts
) -> Counts:
    """The days without hospitalisation that are left: of their own, and of both together."""
    own: Counts = outpatient_days(parameters, month, months) - outpatient_taken
    both = hospitalisation_days_left(parameters, month, months, outpatient_taken, hospitalisation_taken)
    left: Counts = np.minimum(np.maximum(own, 0), both)
    return left


def hospitalisation_days_left(
    parameters: LeaveParameters, month: Month, months: Counts, outpatient_taken: Counts, hospitalisation_taken: Counts
) -> Counts:
    """The days with hospitalisation that are left, both kinds counted against them."""
    total = with_hospitalisation_days(parameters, month, months)
    left: Counts = np.maximum(total - outpatient_taken - hospitalisation_taken, 0)
    return left
