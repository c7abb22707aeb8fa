"""Leave balances of many people at once, computed one leave year after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

import numpy as np

from gaji.engine.leave.accrual import accrued_millidays, leaver_reduction_millidays
from gaji.engine.leave.leave_years import DateWindow, PersonIndexes, ServiceStarts, months_of_year
from gaji.engine.leave.policies import Policies
from gaji.law.columns import Dates, Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis

NO_LIMIT = 2**40
"""More thousandths of a day than any balance, and far below the limit of 64 bits."""
A_DAY = timedelta(days=1)
NO_EXPIRY = 0


@dataclass(frozen=True)
class ServiceColumns:
    """The service of each person that a balance is computed for."""

    first: Dates
    last: Dates
    """NaT if the service has not ended."""
    counted_from: Dates
    """The take-on day. Without a take-on balance, the first day of service."""


@dataclass(frozen=True)
class BalanceDates:
    """The services of people, and the date of each balance."""

    services: ServiceColumns
    as_of: Dates

    @cached_property
    def in_service(self) -> Flags:
        """Whether the person is in service on the date."""
        in_service: Flags = (self.services.first <= self.as_of) & ~(self.as_of > self.services.last)
        return in_service

    @cached_property
    def service_starts(self) -> ServiceStarts:
        """The service starts, for counting months of service."""
        return ServiceStarts.from_dates(self.services.first)

    @cached_property
    def window(self) -> DateWindow:
        """The days that count for the balance. People not in service have only their first day."""
        until = np.where(self.in_service, self.as_of, self.services.first)
        return DateWindow.between(self.service_starts, self.services.counted_from, until)


@dataclass(frozen=True)
class LeaveEntries:
    """Recorded entries: leave taken (negative), adjustments and take-on balances."""

    people: PersonIndexes
    dates: Dates
    millidays: Millis


@dataclass(frozen=True)
class YearExpiry:
    """The days that expired in one leave year of some people."""

    year: int
    people: PersonIndexes
    expired: Millis
    """On the first day: days carried into the previous year."""
    beyond_limit: Millis
    """On the first day: days left of the previous year beyond the carry-over limit."""
    expired_within: Millis
    """During the year: days carried into it."""
    expiry_months: Counts
    """The months of the year after which carried days expire."""


@dataclass(frozen=True)
class BalanceResult:
    """The balance of each person, and what expired on the way."""

    millidays: Millis
    expiries: Sequence[YearExpiry]
    reduction_millidays: Millis
    """The reduction on the last day of service."""


@dataclass
class _YearEndState:
    """The state of each person at the end of a leave year."""

    balance: Millis
    carried: Millis
    used: Millis
    """The days used in the leave year."""
    expiry_months: Counts


def compute_balances(policies: Policies, dates: BalanceDates, entries: LeaveEntries) -> BalanceResult:
    """Compute the balance of each person on a date. It is zero outside the service."""
    person_count, in_service = len(dates.as_of), dates.in_service
    starts, window = dates.service_starts, dates.window
    rows = _counted_rows(starts, window, entries, in_service)
    latest_year = np.where(in_service, window.until_month // MONTHS_PER_YEAR + 1, 0)
    state = _YearEndState(*(np.zeros(person_count, dtype=np.int64) for _ in range(4)))
    expiries = []
    for year in range(1, int(latest_year.max(initial=0)) + 1):
        people = np.flatnonzero(latest_year >= year)
        expiries.append(
            _process_year(
                policies, year, people, starts.select(people), window.select(people), state, rows.in_year(year)
            )
        )
    reduction = np.zeros(person_count, dtype=np.int64)
    if len(leavers := np.flatnonzero(in_service & (dates.as_of == dates.services.last))):
        reduction[leavers] = leaver_reduction_millidays(
            policies, starts.select(leavers), latest_year[leavers], window.select(leavers)
        )
    return BalanceResult(state.balance - reduction, expiries, reduction)


def _process_year(
    policies: Policies,
    year: int,
    people: PersonIndexes,
    starts: ServiceStarts,
    window: DateWindow,
    state: _YearEndState,
    rows: "_EntryRows",
) -> YearExpiry:
    """Advance the state of some people by one leave year."""
    first_month = (year - 1) * MONTHS_PER_YEAR
    limit, expiry_months = _carry_over_terms(policies, starts, first_month)
    balance = state.balance[people]
    unused = np.maximum(state.carried[people] - state.used[people], 0)
    expired = np.where(state.expiry_months[people] == MONTHS_PER_YEAR, unused, 0)
    balance -= expired
    beyond_limit = np.maximum(balance - limit, 0)
    balance -= beyond_limit
    carried = np.maximum(balance, 0)
    state.expiry_months[people] = expiry_months
    net, used, used_early = (sums[people] for sums in rows.sums(len(state.balance), state.expiry_months))
    reached = months_of_year(window.until_month, np.full_like(expiry_months, first_month)) >= expiry_months
    has_expired = (expiry_months != NO_EXPIRY) & (expiry_months < MONTHS_PER_YEAR) & reached
    expired_within = np.where(has_expired, np.maximum(carried - used_early, 0), 0)
    accrued = accrued_millidays(policies, starts, np.full_like(expiry_months, year), window)
    state.balance[people] = balance + accrued + net - expired_within
    state.carried[people] = np.where(has_expired, 0, carried)
    state.used[people] = used
    return YearExpiry(year, people, expired, beyond_limit, expired_within, expiry_months)


def _carry_over_terms(policies: Policies, starts: ServiceStarts, first_month: int) -> tuple[Millis, Counts]:
    """The carry-over limit into a leave year and the months until expiry, by the policy on its first day."""
    limit = np.full(len(starts.month), NO_LIMIT, dtype=np.int64)
    expiry_months = np.full(len(starts.month), NO_EXPIRY, dtype=np.int64)
    for policy in policies:
        applies = slice(None) if policy.since is None else starts.month_number(policy.since - A_DAY) < first_month
        limit[applies] = NO_LIMIT if policy.carry_limit_millidays is None else policy.carry_limit_millidays
        expiry_months[applies] = policy.expiry_months or NO_EXPIRY
    return limit, expiry_months


@dataclass(frozen=True)
class _EntryRows:
    """Entries within the window, ordered by month of service."""

    people: PersonIndexes
    millidays: Millis
    months: Counts
    """The completed months of service at the start of the day."""

    def in_year(self, year: int) -> "_EntryRows":
        """The entries of one leave year, with months counted from its start."""
        first_month = (year - 1) * MONTHS_PER_YEAR
        start, stop = np.searchsorted(self.months, [first_month, first_month + MONTHS_PER_YEAR])
        return _EntryRows(self.people[start:stop], self.millidays[start:stop], self.months[start:stop] - first_month)

    def sums(self, person_count: int, expiry_months: Counts) -> tuple[Millis, Millis, Millis]:
        """For each person the net total, the days used, and the days used before carried days expire."""
        if not len(self.people):
            return (np.zeros(person_count, dtype=np.int64),) * 3
        used = np.maximum(-self.millidays, 0)
        used_early = np.where(self.months < expiry_months[self.people], used, 0)
        return (
            self._sum_by_person(person_count, self.millidays),
            self._sum_by_person(person_count, used),
            self._sum_by_person(person_count, used_early),
        )

    def _sum_by_person(self, person_count: int, millidays: Millis) -> Millis:
        # bincount adds floats, which are exact for integers of this size.
        return np.bincount(self.people, weights=millidays, minlength=person_count).astype(np.int64)


def _counted_rows(starts: ServiceStarts, window: DateWindow, entries: LeaveEntries, in_service: Flags) -> _EntryRows:
    people = entries.people
    counted = in_service[people] & (window.since[people] <= entries.dates) & (entries.dates <= window.until[people])
    people, dates, millidays = people[counted], entries.dates[counted], entries.millidays[counted]
    months = starts.select(people).month_numbers(dates)
    order = np.argsort(months, kind="stable")
    return _EntryRows(people[order], millidays[order], months[order])
