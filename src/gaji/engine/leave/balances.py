"""Balances: leave year after leave year for all people at once, whatever was carried over, taken or granted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gaji.engine.leave.accrual import accrued, cut_back
from gaji.engine.leave.policies import Policies
from gaji.engine.leave.leave_years import ServiceStarts, DateWindow, months_of_year
from gaji.law.columns import Dates, Flags
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis

People = npt.NDArray[np.intp]
NO_LIMIT = 2**40
"""More thousandths of a day than anybody has, and far from where 64 bits end."""
A_DAY = timedelta(days=1)
FOR_GOOD = 0
"""The expiry of what does not expire."""


@dataclass(frozen=True)
class ServiceColumns:
    """The service of each person that a balance is of."""

    first: Dates
    last: Dates
    """None where it goes on."""
    since: Dates
    """The take-on day; the first day of service where nothing was taken on."""


@dataclass(frozen=True)
class BalanceDates:
    """Services up to a day of each person."""

    services: ServiceColumns
    as_of: Dates

    @cached_property
    def in_service(self) -> Flags:
        """Who is in service on that day."""
        present: Flags = (self.services.first <= self.as_of) & ~(self.as_of > self.services.last)
        return present

    @cached_property
    def service_starts(self) -> ServiceStarts:
        """The months of service."""
        return ServiceStarts.since(self.services.first)

    @cached_property
    def window(self) -> DateWindow:
        """From the day on that counts; of whoever is not in service only the first day."""
        return DateWindow.between(self.service_starts, self.services.since, np.where(self.in_service, self.as_of, self.services.first))


@dataclass(frozen=True)
class LeaveEntries:
    """What was recorded: leave that was taken (below zero), adjustments, take-on balances."""

    people: People
    dates: Dates
    millidays: Millis


@dataclass(frozen=True)
class YearExpiry:
    """What expired in one leave year of some people."""

    year: int
    people: People
    expired: Millis
    """On its first day, of what had been carried into the year before."""
    beyond_limit: Millis
    """On its first day, of what was left of the year before."""
    expired_within: Millis
    """Of what was carried into it, before it ended."""
    within: Counts
    """After so many of its months."""


@dataclass(frozen=True)
class BalanceResult:
    """The balance of each person, and how it came about where something expired."""

    millidays: Millis
    expiries: Sequence[YearExpiry]
    cut_back: Millis
    """What was taken back on the last day of service."""


@dataclass
class _State:
    """Where everyone stands at the end of a leave year."""

    balance: Millis
    carried: Millis
    used: Millis
    """What was used in the leave year."""
    expiry: Counts


def compute_balances(policies: Policies, reach: BalanceDates, entries: LeaveEntries) -> BalanceResult:
    """The balance of each person on the day that the service is looked at; zero before and after the service."""
    people, present, served, window = len(reach.as_of), reach.in_service, reach.service_starts, reach.window
    rows = _rows(served, window, entries, present)
    latest = np.where(present, window.until_month // MONTHS_PER_YEAR + 1, 0)
    state = _State(*(np.zeros(people, dtype=np.int64) for _ in range(4)))
    turns = []
    for year in range(1, int(latest.max(initial=0)) + 1):
        who = np.flatnonzero(latest >= year)
        turns.append(_turn(policies, year, who, served.select(who), window.select(who), state, rows.of_year(year)))
    back = np.zeros(people, dtype=np.int64)
    if len(leaving := np.flatnonzero(present & (reach.as_of == reach.services.last))):
        back[leaving] = cut_back(policies, served.select(leaving), latest[leaving], window.select(leaving))
    return BalanceResult(state.balance - back, turns, back)


def _turn(
    policies: Policies, year: int, who: People, served: ServiceStarts, window: DateWindow, state: _State, rows: "_Rows"
) -> YearExpiry:
    """Go through one leave year of some people."""
    begin = (year - 1) * MONTHS_PER_YEAR
    limit, expiry = _carrying(policies, served, begin)
    balance = state.balance[who]
    expired = np.where(state.expiry[who] == MONTHS_PER_YEAR, np.maximum(state.carried[who] - state.used[who], 0), 0)
    balance -= expired
    beyond = np.maximum(balance - limit, 0)
    balance -= beyond
    carried = np.maximum(balance, 0)
    state.expiry[who] = expiry
    people = len(state.balance)
    net, used, early = (sums[who] for sums in rows.summed(people, state.expiry))
    reached = months_of_year(window.until_month, np.full_like(expiry, begin)) >= expiry
    ended = (expiry != FOR_GOOD) & (expiry < MONTHS_PER_YEAR) & reached
    within = np.where(ended, np.maximum(carried - early, 0), 0)
    gained = accrued(policies, served, np.full_like(expiry, year), window)
    state.balance[who] = balance + gained + net - within
    state.carried[who] = np.where(ended, 0, carried)
    state.used[who] = used
    return YearExpiry(year, who, expired, beyond, within, expiry)


def _carrying(policies: Policies, served: ServiceStarts, begin: int) -> tuple[Millis, Counts]:
    """The most that is carried into a leave year, and for how many months: by the policy of its first day."""
    limit = np.full(len(served.month), NO_LIMIT, dtype=np.int64)
    expiry = np.full(len(served.month), FOR_GOOD, dtype=np.int64)
    for policy in policies:
        most = NO_LIMIT if policy.carry_limit_millidays is None else policy.carry_limit_millidays
        held = slice(None) if policy.since is None else served.month_number(policy.since - A_DAY) < begin
        limit[held] = most
        expiry[held] = policy.expiry_months or FOR_GOOD
    return limit, expiry


@dataclass(frozen=True)
class _Rows:
    """Entries that count, in the order of their leave years."""

    people: People
    millidays: Millis
    months: Counts
    """The months of service that are complete when the day begins."""

    def of_year(self, year: int) -> "_Rows":
        """Those of one leave year, by its own months."""
        begin = (year - 1) * MONTHS_PER_YEAR
        start, stop = np.searchsorted(self.months, [begin, begin + MONTHS_PER_YEAR])
        return _Rows(self.people[start:stop], self.millidays[start:stop], self.months[start:stop] - begin)

    def summed(self, people: int, expiry: Counts) -> tuple[Millis, Millis, Millis]:
        """For each person all of it, what was used, and what was used before carried days expired."""
        if not len(self.people):
            return (np.zeros(people, dtype=np.int64),) * 3
        used = np.maximum(-self.millidays, 0)
        early = np.where(self.months < expiry[self.people], used, 0)
        return self._sum(people, self.millidays), self._sum(people, used), self._sum(people, early)

    def _sum(self, people: int, millidays: Millis) -> Millis:
        # Thousandths of days are far below where a float has gaps.
        return np.bincount(self.people, weights=millidays, minlength=people).astype(np.int64)


def _rows(served: ServiceStarts, window: DateWindow, entries: LeaveEntries, present: Flags) -> _Rows:
    people = entries.people
    counts = present[people] & (window.since[people] <= entries.dates) & (entries.dates <= window.until[people])
    people, dates, millidays = people[counts], entries.dates[counts], entries.millidays[counts]
    months = served.select(people).month_numbers(dates)
    order = np.argsort(months, kind="stable")
    return _Rows(people[order], millidays[order], months[order])
