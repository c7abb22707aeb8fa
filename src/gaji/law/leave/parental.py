"""Leave around a birth or an adoption, in weeks, by the date of birth or of the formal intent to adopt.

Where there is no date there is no leave. A date that the figures do not cover is refused, and with it the columns it is
in: `covers` tells such people apart beforehand. What the government reimburses is not here.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from gaji.law.columns import Dates, Flags
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.months import Month
from gaji.law.parameters import History, MonthNotCovered
from gaji.law.quantities import Counts

T = TypeVar("T")


def is_covered(history: History[object], dates: Dates) -> Flags:
    """For whom there are figures: those of maternity, say, for these dates of birth; also where there is no date."""
    earliest, latest = history.values[-1].since, history.covered_until.last_day
    outside: Flags = (dates < np.datetime64(earliest, "D")) | (dates > np.datetime64(latest, "D"))
    return ~outside


def maternity_weeks(parameters: LeaveParameters, born: Dates, citizen: Flags, months: Counts) -> tuple[Counts, Counts]:
    """The mother's weeks of leave, and how many of them are paid, by completed months of service before the birth."""
    of_citizen = _by_birth(parameters.maternity, born, lambda weeks: weeks.citizen)
    of_other = _by_birth(parameters.maternity, born, lambda weeks: weeks.other)
    of_other_paid = _by_birth(parameters.maternity, born, lambda weeks: weeks.other_paid)
    served = months >= _by_birth(parameters.maternity, born, lambda weeks: weeks.least_months)
    return (
        np.where(served, np.where(citizen, of_citizen, of_other), 0),
        np.where(served, np.where(citizen, of_citizen, of_other_paid), 0),
    )


def paternity_weeks(parameters: LeaveParameters, born: Dates, citizen: Flags, months: Counts) -> tuple[Counts, Counts]:
    """The father's weeks of leave, and how many of them he has whether or not the employer agrees."""
    weeks = _by_birth(parameters.paternity, born, lambda father: father.weeks)
    required = _by_birth(parameters.paternity, born, lambda father: father.required)
    served = citizen & (months >= _by_birth(parameters.paternity, born, lambda father: father.least_months))
    return np.where(served, weeks, 0), np.where(served, required, 0)


def shared_parental_weeks(parameters: LeaveParameters, born: Dates, citizen: Flags) -> tuple[Counts, Counts]:
    """The weeks that both parents share, and the share of each unless they agree otherwise.

    Of children born before 1 April 2025 the weeks come out of the mother's, and no share is given by itself.
    """
    weeks = _by_birth(parameters.shared_parental, born, lambda shared: shared.weeks)
    each = _by_birth(parameters.shared_parental, born, lambda shared: shared.each)
    return np.where(citizen, weeks, 0), np.where(citizen, each, 0)


def shared_from_maternity(parameters: LeaveParameters, born: Dates) -> Flags:
    """Whether the shared weeks are taken out of the mother's."""
    return _by_birth(parameters.shared_parental, born, lambda shared: shared.from_maternity) > 0


def adoption_weeks(parameters: LeaveParameters, intended: Dates, citizen: Flags, months: Counts) -> Counts:
    """The adoptive mother's weeks of leave, by the date of the formal intent to adopt."""
    weeks = _by_birth(parameters.adoption, intended, lambda mother: mother.weeks)
    served = citizen & (months >= _by_birth(parameters.adoption, intended, lambda mother: mother.least_months))
    return np.where(served, weeks, 0)


def _by_birth(history: History[T], dates: Dates, figure: Callable[[T], int]) -> Counts:
    """A figure of the value that was in force on each date; 0 where there is none. Raises LawDoesNotCover."""
    outside = ~is_covered(history, dates)
    if outside.any():
        month = Month.from_date(dates[outside].min().item())
        raise MonthNotCovered(history.name, month, history.covered_from, history.covered_until)
    found = np.zeros(len(dates), dtype=np.int64)
    for value in reversed(history.values):
        found[dates >= np.datetime64(value.since, "D")] = figure(value.value)
    return found
