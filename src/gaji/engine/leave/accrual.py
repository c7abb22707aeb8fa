"""Accrual: what the policies of a type give within a leave year, from a day to a day."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from gaji.engine.leave.policies import AccrualMethod, Policies, LeavePolicy, policies_with_end
from gaji.engine.leave.leave_years import ServiceStarts, DateWindow, months_of_year
from gaji.law.columns import Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _Share:
    """What one policy has to say in the leave year of each person."""

    policy: LeavePolicy
    years: Counts
    begin: Counts
    """The number of the month of service with which the leave year begins."""
    from_month: Counts
    """The completed months of the year when the policy begins."""
    to_month: Counts
    """Those when it ends."""
    from_begin: Flags
    """Whose leave year begins under it."""
    grants: Flags
    """For whom it grants the year, or the rest of it, in one."""
    runs: Flags
    """For whom no policy before it has granted the year."""


def accrued(policies: Policies, served: ServiceStarts, years: Counts, window: DateWindow) -> Millis:
    """What accrues in a leave year of each person within a window."""
    total, given = np.zeros(len(years), dtype=np.int64), np.zeros(len(years), dtype=np.int64)
    begin = (years - 1) * MONTHS_PER_YEAR
    low, high = months_of_year(window.since_month, begin), months_of_year(window.after_until, begin)
    for share in _shares(policies, served, years):
        if share.policy.accrual is AccrualMethod.YEARLY:
            total += _granted(share, given, window)
            total += np.where(share.grants, _steps(share, low, high), 0)
        elif share.policy.accrual is AccrualMethod.MONTHLY:
            total += np.where(share.runs, _earned(share, low, high), 0)
            given += np.where(share.runs, _earned(share, share.from_month, share.to_month), 0)
    return total


def cut_back(policies: Policies, served: ServiceStarts, years: Counts, window: DateWindow) -> Millis:
    """What a leaver's last year, at the end of a window, gave in one beyond the part of its completed months."""
    total = np.zeros(len(years), dtype=np.int64)
    months = months_of_year(window.after_until, (years - 1) * MONTHS_PER_YEAR)
    for share in _shares(policies, served, years):
        policy = share.policy
        if policy.accrual is AccrualMethod.YEARLY and policy.prorate:
            beyond = np.maximum(policy.granted_millidays(years, months) - policy.prorated_millidays(years, months), 0)
            begun = share.from_begin | (policy.since is not None and window.until >= np.datetime64(policy.since, "D"))
            total += np.where(share.grants & begun, beyond, 0)
    return total


def _shares(policies: Policies, served: ServiceStarts, years: Counts) -> Iterator[_Share]:
    """The policies one after the other; once the year is granted in one, the later ones wait for the next year."""
    begin = (years - 1) * MONTHS_PER_YEAR
    runs, nobody = np.ones(len(years), dtype=np.bool_), np.zeros(len(years), dtype=np.bool_)
    from_begin, began_within = runs, nobody
    from_month = np.zeros_like(years)
    for policy, following in policies_with_end(policies):
        later_begin, later_within, to_month = nobody, nobody, np.full_like(years, MONTHS_PER_YEAR)
        if following is not None:
            number = served.month_number(following)
            # The leave year begins under the next policy, or has begun before it and goes on.
            later_begin = served.month_number(following - A_DAY) < begin
            later_within = ~later_begin & (number < begin + MONTHS_PER_YEAR)
            to_month = months_of_year(number, begin)
        held_first = from_begin & ~later_begin
        grants = runs & (held_first | began_within) & (policy.accrual is AccrualMethod.YEARLY)
        yield _Share(policy, years, begin, from_month, to_month, held_first, grants, runs)
        runs = runs & ~grants
        from_begin, began_within, from_month = later_begin, later_within, to_month


def _granted(share: _Share, given: Millis, window: DateWindow) -> Millis:
    """What is granted in one: a whole year, or of a year that has begun what the months before do not stand for."""
    policy, years = share.policy, share.years
    whole = policy.granted_millidays(years, np.zeros_like(years))
    at_begin = (window.before_since < share.begin) & (share.begin <= window.until_month)
    if policy.since is None:
        return np.where(share.grants & at_begin, whole, 0)
    before = policy.prorated_millidays(years, share.from_month) if policy.prorate else given
    rest = np.maximum(policy.granted_millidays(years, share.from_month) - before, 0)
    on = np.datetime64(policy.since, "D")
    seen = np.where(share.from_begin, at_begin, (window.since <= on) & (on <= window.until))
    return np.where(share.grants & seen, np.where(share.from_begin, whole, rest), 0)


def _steps(share: _Share, low: Counts, high: Counts) -> Millis:
    """What completed months of a first year add to a grant."""
    start = np.maximum(low, np.where(share.from_begin, 0, share.from_month))
    added = share.policy.granted_millidays(share.years, high) - share.policy.granted_millidays(share.years, start)
    return np.where(high > start, added, 0)


def _earned(share: _Share, low: Counts, high: Counts) -> Millis:
    """What the months of a year earn while the policy holds; those of the waiting time with its last one."""
    start, end = np.maximum(low, share.from_month), np.minimum(high, share.to_month)

    def earned(months: Counts) -> Millis:
        waited = share.begin + months >= share.policy.min_service_months
        return share.policy.prorated_millidays(share.years, np.where(waited, months, share.from_month))

    return np.where(end > start, earned(end) - earned(start), 0)
