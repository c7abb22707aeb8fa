"""Accrual: what the policies of a type give within a leave year, from a day to a day."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gaji.engine.leave.policies import Accrual, Policies, Policy, with_ends
from gaji.engine.leave.years import LeaveYears
from gaji.law.columns import Days, Flags
from gaji.law.lengths_of_service import ONE_DAY
from gaji.law.months import MONTHS_A_YEAR
from gaji.law.quantities import Counts, Millis


@dataclass(frozen=True)
class _Share:
    """What one policy has to say in the leave year of each person."""

    policy: Policy
    from_month: Counts
    """The completed months of the year when the policy begins."""
    to_month: Counts
    """Those when it ends."""
    grants: Flags
    """For whom it grants the year, or the rest of it, in one."""
    on: Days
    """The day of that grant."""
    from_begin: Flags
    runs: Flags
    """For whom no policy before it has granted the year."""


def accrued(policies: Policies, year: LeaveYears, since: Days, until: Days) -> Millis:
    """What accrues in a leave year from one day to another, both counted."""
    total, given = np.zeros(len(since), dtype=np.int64), np.zeros(len(since), dtype=np.int64)
    low, high = year.completed(since), year.completed(until + ONE_DAY)
    for share in _shares(policies, year):
        if share.policy.accrual is Accrual.YEARLY:
            total += _granted(share, year, given, since, until)
            total += np.where(share.grants, _steps(share, year, low, high), 0)
        elif share.policy.accrual is Accrual.MONTHLY:
            total += np.where(share.runs, _earned(share, year, low, high), 0)
            given += np.where(share.runs, _earned(share, year, share.from_month, share.to_month), 0)
    return total


def cut_back(policies: Policies, year: LeaveYears, last: Days) -> Millis:
    """What a leaver's last year gave in one beyond the part of its completed months."""
    total = np.zeros(len(last), dtype=np.int64)
    months = year.completed(last + ONE_DAY)
    for share in _shares(policies, year):
        if share.policy.accrual is Accrual.YEARLY and share.policy.prorate:
            beyond = share.policy.granted(year.years, months) - share.policy.part_of_year(year.years, months)
            total += np.where(share.grants & (share.on <= last), np.maximum(beyond, 0), 0)
    return total


def _shares(policies: Policies, year: LeaveYears) -> Iterator[_Share]:
    """The policies one after the other; once the year is granted in one, the later ones wait for the next year."""
    runs = np.ones(len(year.first), dtype=np.bool_)
    for policy, following in with_ends(policies):
        from_begin = year.begin_under(policy.since, following)
        begins = year.begin if policy.since is None else np.full(len(runs), np.datetime64(policy.since, "D"))
        grants = runs & (from_begin | year.see_begin(policy.since)) & (policy.accrual is Accrual.YEARLY)
        yield _Share(
            policy=policy,
            from_month=np.zeros_like(year.years) if policy.since is None else year.completed(policy.since),
            to_month=np.full_like(year.years, MONTHS_A_YEAR) if following is None else year.completed(following),
            grants=grants,
            on=np.where(from_begin, year.begin, begins),
            from_begin=from_begin,
            runs=runs,
        )
        runs = runs & ~grants


def _granted(share: _Share, year: LeaveYears, given: Millis, since: Days, until: Days) -> Millis:
    """What is granted in one: a whole year, or of a year that has begun what the months before do not stand for."""
    policy = share.policy
    whole = policy.granted(year.years, np.zeros_like(year.years))
    before = policy.part_of_year(year.years, share.from_month) if policy.prorate else given
    rest = np.maximum(policy.granted(year.years, share.from_month) - before, 0)
    seen = share.grants & (since <= share.on) & (share.on <= until)
    return np.where(seen, np.where(share.from_begin, whole, rest), 0)


def _steps(share: _Share, year: LeaveYears, low: Counts, high: Counts) -> Millis:
    """What completed months of a first year add to a grant."""
    start = np.maximum(low, np.where(share.from_begin, 0, share.from_month))
    added = share.policy.granted(year.years, high) - share.policy.granted(year.years, start)
    return np.where(high > start, added, 0)


def _earned(share: _Share, year: LeaveYears, low: Counts, high: Counts) -> Millis:
    """What the months of a year earn while the policy holds; those of the waiting time with its last one."""
    start, end = np.maximum(low, share.from_month), np.minimum(high, share.to_month)

    def earned(months: Counts) -> Millis:
        waited = year.months_before + months >= share.policy.least_months
        return share.policy.part_of_year(year.years, np.where(waited, months, share.from_month))

    return np.where(end > start, earned(end) - earned(start), 0)
