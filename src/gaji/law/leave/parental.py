"""Parental leave in weeks, by the date of birth or, for adoption, the date of the formal intent to adopt.

A missing date gives no leave. A date that the parameters do not cover raises MonthNotCovered for the whole batch; use
`is_covered` to separate such people first.
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
    """Whether a history, such as that of maternity leave, covers each date. Missing dates are covered."""
    earliest, latest = history.values[-1].since, history.covered_until.last_day
    outside: Flags = (dates < np.datetime64(earliest, "D")) | (dates > np.datetime64(latest, "D"))
    return ~outside


def maternity_weeks(
    parameters: LeaveParameters, birthdates: Dates, citizen: Flags, months: Counts
) -> tuple[Counts, Counts]:
    """The mother's weeks of leave and the paid weeks, by completed months of service before the birth."""
    history = parameters.maternity
    citizen_weeks = _by_date(history, birthdates, lambda leave: leave.citizen_weeks)
    other_weeks = _by_date(history, birthdates, lambda leave: leave.other_weeks)
    other_paid_weeks = _by_date(history, birthdates, lambda leave: leave.other_paid_weeks)
    eligible = months >= _by_date(history, birthdates, lambda leave: leave.min_months)
    return (
        np.where(eligible, np.where(citizen, citizen_weeks, other_weeks), 0),
        np.where(eligible, np.where(citizen, citizen_weeks, other_paid_weeks), 0),
    )


def paternity_weeks(
    parameters: LeaveParameters, birthdates: Dates, citizen: Flags, months: Counts
) -> tuple[Counts, Counts]:
    """The father's weeks of leave, and those that do not depend on the employer's agreement."""
    history = parameters.paternity
    weeks = _by_date(history, birthdates, lambda leave: leave.weeks)
    required_weeks = _by_date(history, birthdates, lambda leave: leave.required_weeks)
    eligible = citizen & (months >= _by_date(history, birthdates, lambda leave: leave.min_months))
    return np.where(eligible, weeks, 0), np.where(eligible, required_weeks, 0)


def shared_parental_weeks(parameters: LeaveParameters, birthdates: Dates, citizen: Flags) -> tuple[Counts, Counts]:
    """The weeks that both parents share, and the share of each unless they agree otherwise.

    For children born before 1 April 2025 the weeks are taken from the mother's, and there is no default share.
    """
    weeks = _by_date(parameters.shared_parental, birthdates, lambda leave: leave.weeks)
    weeks_each = _by_date(parameters.shared_parental, birthdates, lambda leave: leave.weeks_each)
    return np.where(citizen, weeks, 0), np.where(citizen, weeks_each, 0)


def shared_from_maternity(parameters: LeaveParameters, birthdates: Dates) -> Flags:
    """Whether the shared weeks are taken from the mother's."""
    return _by_date(parameters.shared_parental, birthdates, lambda leave: leave.from_maternity) > 0


def adoption_weeks(parameters: LeaveParameters, intent_dates: Dates, citizen: Flags, months: Counts) -> Counts:
    """The adoptive mother's weeks of leave, by the date of the formal intent to adopt."""
    weeks = _by_date(parameters.adoption, intent_dates, lambda leave: leave.weeks)
    eligible = citizen & (months >= _by_date(parameters.adoption, intent_dates, lambda leave: leave.min_months))
    return np.where(eligible, weeks, 0)


def _by_date(history: History[T], dates: Dates, field: Callable[[T], int]) -> Counts:
    """A field of the value in force on each date; 0 for a missing date. Raises MonthNotCovered."""
    outside = ~is_covered(history, dates)
    if outside.any():
        month = Month.from_date(dates[outside].min().item())
        raise MonthNotCovered(history.name, month, history.covered_from, history.covered_until)
    column = np.zeros(len(dates), dtype=np.int64)
    for dated in reversed(history.values):
        column[dates >= np.datetime64(dated.since, "D")] = field(dated.value)
    return column
