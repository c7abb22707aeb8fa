"""Accrual: the days that the policies of a leave type give in a leave year, within a window of dates."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from gaji.engine.leave.leave_years import DateWindow, LeaveYears, months_of_year
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, Policies, policies_with_end
from gaji.law.columns import Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis, counts

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _PolicySpan:
    """The part of each person's leave year in which a policy applies."""

    policy: LeavePolicy
    years: Counts
    leave_years: LeaveYears
    first_month: Counts
    """The number of the first month of the leave year."""
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

    @property
    def joined(self) -> Counts:
        """The months of the leave year before the first complete month of service."""
        return months_of_year(self.leave_years.joined, self.first_month)

    def prorated(self, months: Counts) -> Millis:
        """The share of the year's entitlement for the months of service among the first months of the year."""
        return self.policy.prorated_millidays(self.years, np.maximum(months - self.joined, 0))

    def available(self, months: Counts) -> Millis:
        """For yearly accrual: the days available of the year's entitlement after a number of its months."""
        if self.policy.leave_year_month is None:
            return self.policy.granted_millidays(self.years, months)
        full_year = np.full_like(months, MONTHS_PER_YEAR)
        share = np.where(self.joined > 0, self.prorated(full_year), self.policy.entitled_millidays(self.years))
        return np.where(self.has_waited(months), share, 0)

    def has_waited(self, months: Counts) -> Flags:
        """Whether the minimum service is complete after a number of months of the leave year."""
        served = np.maximum(self.first_month + months - self.leave_years.joined, 0)
        has_waited: Flags = served >= self.policy.min_service_months
        return has_waited


def accrued_millidays(policies: Policies, leave_years: LeaveYears, years: Counts, window: DateWindow) -> Millis:
    """The days that accrue in a leave year of each person within a window."""
    total, earned_before = np.zeros(len(years), dtype=np.int64), np.zeros(len(years), dtype=np.int64)
    first_month = (years - 1) * MONTHS_PER_YEAR
    low, high = months_of_year(window.since_month, first_month), months_of_year(window.after_until, first_month)
    for span in _policy_spans(policies, leave_years, years):
        if span.policy.accrual is AccrualMethod.YEARLY:
            total += _granted(span, earned_before, window)
            total += np.where(span.grants, _first_year_steps(span, low, high), 0)
        elif span.policy.accrual is AccrualMethod.MONTHLY:
            total += np.where(span.not_granted, _earned(span, low, high), 0)
            earned_before += np.where(span.not_granted, _earned(span, span.from_month, span.to_month), 0)
    return total


def yearly_terms(policy: LeavePolicy, leave_years: LeaveYears, year: int, months: int) -> tuple[int, int]:
    """For one person and yearly accrual: the days of a leave year available after some months, and their share."""
    years, column, flag = counts([year]), counts([months]), np.ones(1, dtype=np.bool_)
    zeros = np.zeros_like(years)
    first_month = (years - 1) * MONTHS_PER_YEAR
    span = _PolicySpan(policy, years, leave_years, first_month, zeros, zeros, flag, flag, flag)
    return int(span.available(column)[0]), int(span.prorated(column)[0])


def leaver_reduction_millidays(
    policies: Policies, leave_years: LeaveYears, years: Counts, window: DateWindow
) -> Millis:
    """The days granted in a leaver's last year, at the end of a window, beyond the share of its completed months."""
    total = np.zeros(len(years), dtype=np.int64)
    months = months_of_year(window.after_until, (years - 1) * MONTHS_PER_YEAR)
    for span in _policy_spans(policies, leave_years, years):
        policy = span.policy
        if policy.accrual is AccrualMethod.YEARLY and policy.prorate:
            excess = np.maximum(span.available(months) - span.prorated(months), 0)
            started = span.from_year_start | (
                policy.since is not None and window.until >= np.datetime64(policy.since, "D")
            )
            total += np.where(span.grants & started, excess, 0)
    return total


def _policy_spans(policies: Policies, leave_years: LeaveYears, years: Counts) -> Iterator[_PolicySpan]:
    """Iterate over the policies in order. After a policy has granted the year, later ones wait for the next year."""
    first_month, starts = (years - 1) * MONTHS_PER_YEAR, leave_years.starts
    not_granted, none = np.ones(len(years), dtype=np.bool_), np.zeros(len(years), dtype=np.bool_)
    from_year_start, starts_within_year = not_granted, none
    from_month = np.zeros_like(years)
    for policy, next_since in policies_with_end(policies):
        next_from_year_start, next_within_year = none, none
        to_month = np.full_like(years, MONTHS_PER_YEAR)
        if next_since is not None:
            number = starts.month_number(next_since)
            # The leave year begins under the next policy, or has begun before it and continues.
            joins_after = (first_month == 0) & (leave_years.first >= np.datetime64(next_since, "D"))
            next_from_year_start = (starts.month_number(next_since - A_DAY) < first_month) | joins_after
            next_within_year = ~next_from_year_start & (number < first_month + MONTHS_PER_YEAR)
            to_month = months_of_year(number, first_month)
        applies_first = from_year_start & ~next_from_year_start
        grants = not_granted & (applies_first | starts_within_year) & (policy.accrual is AccrualMethod.YEARLY)
        yield _PolicySpan(
            policy, years, leave_years, first_month, from_month, to_month, applies_first, grants, not_granted
        )
        not_granted = not_granted & ~grants
        from_year_start, starts_within_year, from_month = next_from_year_start, next_within_year, to_month


def _granted(span: _PolicySpan, earned_before: Millis, window: DateWindow) -> Millis:
    """The days granted at once: a whole year, or the rest of a year that has already begun."""
    policy, years = span.policy, span.years
    full_year = span.available(np.zeros_like(years))
    year_starts = _year_starts(span, window)
    if policy.since is None:
        return np.where(span.grants & year_starts, full_year, 0)
    before = span.prorated(span.from_month) if policy.prorate else earned_before
    rest = np.maximum(span.available(span.from_month) - before, 0)
    granted_on = np.datetime64(policy.since, "D")
    policy_starts = (window.since <= granted_on) & (granted_on <= window.until)
    in_window = np.where(span.from_year_start, year_starts, policy_starts)
    return np.where(span.grants & in_window, np.where(span.from_year_start, full_year, rest), 0)


def _year_starts(span: _PolicySpan, window: DateWindow) -> Flags:
    """Whether the leave year begins in the window. An employee's first leave year begins on the day of joining."""
    begins = (window.before_since < span.first_month) & (span.first_month <= window.until_month)
    first = span.leave_years.first
    joins_during_year = (span.first_month == 0) & (span.leave_years.joined > 0)
    return np.where(joins_during_year, (window.since <= first) & (first <= window.until), begins)


def _first_year_steps(span: _PolicySpan, low: Counts, high: Counts) -> Millis:
    """The days that completed months of a first year add to a grant."""
    start = np.maximum(low, np.where(span.from_year_start, 0, span.from_month))
    return np.where(high > start, span.available(high) - span.available(start), 0)


def _earned(span: _PolicySpan, low: Counts, high: Counts) -> Millis:
    """The days earned by the months of a year under the policy. Those of the waiting time are earned at its end."""
    start, end = np.maximum(low, span.from_month), np.minimum(high, span.to_month)

    def earned_until(months: Counts) -> Millis:
        return span.prorated(np.where(span.has_waited(months), months, span.from_month))

    return np.where(end > start, earned_until(end) - earned_until(start), 0)
