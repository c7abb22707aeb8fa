"""Accrual: the days that the policies of a leave type give in a leave year, within a window of dates."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from gaji.engine.leave.leave_years import DateWindow, ServiceStarts, months_of_year
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, Policies, policies_with_end
from gaji.law.columns import Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _PolicySpan:
    """The part of each person's leave year in which a policy applies."""

    policy: LeavePolicy
    years: Counts
    first_month: Counts
    """The number of the first month of service of the leave year."""
    from_month: Counts
    """The completed months of the leave year when the policy begins."""
    to_month: Counts
    """The completed months of the leave year when the policy ends."""
    from_year_start: Flags
    """Whether the leave year begins under the policy."""
    grants: Flags
    """Whether the policy grants the year, or the rest of it, at once."""
    not_granted: Flags
    """Whether no earlier policy has granted the year."""


def accrued_millidays(policies: Policies, starts: ServiceStarts, years: Counts, window: DateWindow) -> Millis:
    """The days that accrue in a leave year of each person within a window."""
    total, earned_before = np.zeros(len(years), dtype=np.int64), np.zeros(len(years), dtype=np.int64)
    first_month = (years - 1) * MONTHS_PER_YEAR
    low, high = months_of_year(window.since_month, first_month), months_of_year(window.after_until, first_month)
    for span in _policy_spans(policies, starts, years):
        if span.policy.accrual is AccrualMethod.YEARLY:
            total += _granted(span, earned_before, window)
            total += np.where(span.grants, _first_year_steps(span, low, high), 0)
        elif span.policy.accrual is AccrualMethod.MONTHLY:
            total += np.where(span.not_granted, _earned(span, low, high), 0)
            earned_before += np.where(span.not_granted, _earned(span, span.from_month, span.to_month), 0)
    return total


def leaver_reduction_millidays(policies: Policies, starts: ServiceStarts, years: Counts, window: DateWindow) -> Millis:
    """The days granted in a leaver's last year, at the end of a window, beyond the share of its completed months."""
    total = np.zeros(len(years), dtype=np.int64)
    months = months_of_year(window.after_until, (years - 1) * MONTHS_PER_YEAR)
    for span in _policy_spans(policies, starts, years):
        policy = span.policy
        if policy.accrual is AccrualMethod.YEARLY and policy.prorate:
            excess = np.maximum(policy.granted_millidays(years, months) - policy.prorated_millidays(years, months), 0)
            started = span.from_year_start | (
                policy.since is not None and window.until >= np.datetime64(policy.since, "D")
            )
            total += np.where(span.grants & started, excess, 0)
    return total


def _policy_spans(policies: Policies, starts: ServiceStarts, years: Counts) -> Iterator[_PolicySpan]:
    """Iterate over the policies in order. After a policy has granted the year, later ones wait for the next year."""
    first_month = (years - 1) * MONTHS_PER_YEAR
    not_granted, none = np.ones(len(years), dtype=np.bool_), np.zeros(len(years), dtype=np.bool_)
    from_year_start, starts_within_year = not_granted, none
    from_month = np.zeros_like(years)
    for policy, next_since in policies_with_end(policies):
        next_from_year_start, next_within_year = none, none
        to_month = np.full_like(years, MONTHS_PER_YEAR)
        if next_since is not None:
            number = starts.month_number(next_since)
            # The leave year begins under the next policy, or has begun before it and continues.
            next_from_year_start = starts.month_number(next_since - A_DAY) < first_month
            next_within_year = ~next_from_year_start & (number < first_month + MONTHS_PER_YEAR)
            to_month = months_of_year(number, first_month)
        applies_first = from_year_start & ~next_from_year_start
        grants = not_granted & (applies_first | starts_within_year) & (policy.accrual is AccrualMethod.YEARLY)
        yield _PolicySpan(policy, years, first_month, from_month, to_month, applies_first, grants, not_granted)
        not_granted = not_granted & ~grants
        from_year_start, starts_within_year, from_month = next_from_year_start, next_within_year, to_month


def _granted(span: _PolicySpan, earned_before: Millis, window: DateWindow) -> Millis:
    """The days granted at once: a whole year, or the rest of a year that has already begun."""
    policy, years = span.policy, span.years
    full_year = policy.granted_millidays(years, np.zeros_like(years))
    year_starts = (window.before_since < span.first_month) & (span.first_month <= window.until_month)
    if policy.since is None:
        return np.where(span.grants & year_starts, full_year, 0)
    before = policy.prorated_millidays(years, span.from_month) if policy.prorate else earned_before
    rest = np.maximum(policy.granted_millidays(years, span.from_month) - before, 0)
    granted_on = np.datetime64(policy.since, "D")
    policy_starts = (window.since <= granted_on) & (granted_on <= window.until)
    in_window = np.where(span.from_year_start, year_starts, policy_starts)
    return np.where(span.grants & in_window, np.where(span.from_year_start, full_year, rest), 0)


def _first_year_steps(span: _PolicySpan, low: Counts, high: Counts) -> Millis:
    """The days that completed months of a first year add to a grant."""
    start = np.maximum(low, np.where(span.from_year_start, 0, span.from_month))
    added = span.policy.granted_millidays(span.years, high) - span.policy.granted_millidays(span.years, start)
    return np.where(high > start, added, 0)


def _earned(span: _PolicySpan, low: Counts, high: Counts) -> Millis:
    """The days earned by the months of a year under the policy. Those of the waiting time are earned at its end."""
    start, end = np.maximum(low, span.from_month), np.minimum(high, span.to_month)

    def earned_until(months: Counts) -> Millis:
        has_waited = span.first_month + months >= span.policy.min_service_months
        return span.policy.prorated_millidays(span.years, np.where(has_waited, months, span.from_month))

    return np.where(end > start, earned_until(end) - earned_until(start), 0)
