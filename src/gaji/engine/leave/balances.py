"""Balances: leave year after leave year for all people at once, whatever was carried over, taken or granted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.engine.leave.accrual import accrued, cut_back
from gaji.engine.leave.policies import Policies
from gaji.engine.leave.years import LeaveYears
from gaji.law.columns import Days, Flags
from gaji.law.lengths_of_service import months_before, year_of_service
from gaji.law.months import MONTHS_A_YEAR
from gaji.law.quantities import Counts, Millis

People = npt.NDArray[np.intp]
NO_LIMIT = 2**40
"""More thousandths of a day than anybody has, and far from where 64 bits end."""
FOR_GOOD = 0
"""The expiry of what does not expire."""


@dataclass(frozen=True)
class Services:
    """The service of each person that a balance is of."""

    first: Days
    last: Days
    """None where it goes on."""
    since: Days
    """The take-on day; the first day of service where nothing was taken on."""


@dataclass(frozen=True)
class Entries:
    """What was recorded: leave that was taken (below zero), adjustments, take-on balances."""

    people: People
    dates: Days
    millidays: Millis


@dataclass(frozen=True)
class Turn:
    """What expired in one leave year of some people."""

    year: LeaveYears
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
class Outcome:
    """The balance of each person, and how it came about where something expired."""

    millidays: Millis
    turns: Sequence[Turn]
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


def balances(policies: Policies, services: Services, entries: Entries, on: Days) -> Outcome:
    """The balance of each person on a day; zero before and after the service."""
    people = len(services.first)
    served = (services.first <= on) & ~(on > services.last)
    until = np.where(served, on, services.first)
    rows = _rows(services, entries, until, served)
    latest = np.where(served, year_of_service(services.first, until), 0)
    state = _State(*(np.zeros(people, dtype=np.int64) for _ in range(4)))
    turns = []
    for number in range(1, int(latest.max(initial=0)) + 1):
        who = np.flatnonzero(latest >= number)
        year = LeaveYears(services.first[who], np.full(len(who), number, dtype=np.int64))
        turns.append(_turn(policies, year, who, state, rows.of_year(number), services.since[who], until[who]))
    back = np.zeros(people, dtype=np.int64)
    leaving = np.flatnonzero(served & (on == services.last))
    if len(leaving):
        last_years = LeaveYears(services.first[leaving], latest[leaving])
        back[leaving] = cut_back(policies, last_years, on[leaving])
    return Outcome(state.balance - back, turns, back)


def _turn(
    policies: Policies, year: LeaveYears, who: People, state: _State, rows: "_Rows", since: Days, until: Days
) -> Turn:
    """Go through one leave year of some people."""
    limit, expiry = _carrying(policies, year)
    balance = state.balance[who]
    expired = np.where(state.expiry[who] == MONTHS_A_YEAR, np.maximum(state.carried[who] - state.used[who], 0), 0)
    balance -= expired
    beyond = np.maximum(balance - limit, 0)
    balance -= beyond
    carried = np.maximum(balance, 0)
    people = len(state.balance)
    used = rows.summed(people, np.maximum(-rows.millidays, 0))[who]
    everyones = np.zeros(people, dtype=np.int64)
    everyones[who] = expiry
    early = rows.summed(people, np.where(rows.months < everyones[rows.people], np.maximum(-rows.millidays, 0), 0))[who]
    ended = (expiry != FOR_GOOD) & (expiry < MONTHS_A_YEAR) & (year.completed(until) >= expiry)
    within = np.where(ended, np.maximum(carried - early, 0), 0)
    state.balance[who] = (
        balance + accrued(policies, year, since, until) + rows.summed(people, rows.millidays)[who] - within
    )
    state.carried[who] = np.where(ended, 0, carried)
    state.used[who] = used
    state.expiry[who] = expiry
    return Turn(year, who, expired, beyond, within, expiry)


def _carrying(policies: Policies, year: LeaveYears) -> tuple[Millis, Counts]:
    """The most that is carried into each leave year, and for how many months: by the policy of its first day."""
    limit = np.full(len(year.first), NO_LIMIT, dtype=np.int64)
    expiry = np.full(len(year.first), FOR_GOOD, dtype=np.int64)
    for policy in policies:
        held = year.begin_under(policy.since, None)
        limit[held] = NO_LIMIT if policy.carry_limit_millidays is None else policy.carry_limit_millidays
        expiry[held] = policy.expiry_months or FOR_GOOD
    return limit, expiry


@dataclass(frozen=True)
class _Rows:
    """Entries that count, in the order of their leave years."""

    people: People
    millidays: Millis
    years: Counts
    months: Counts
    """The completed months of the leave year when the day begins."""

    def of_year(self, number: int) -> "_Rows":
        start, stop = np.searchsorted(self.years, [number, number + 1])
        return _Rows(*(column[start:stop] for column in (self.people, self.millidays, self.years, self.months)))

    def summed(self, people: int, millidays: Millis) -> Millis:
        """The sum of each person; sums of thousandths of days are far below where a float has gaps."""
        return np.bincount(self.people, weights=millidays, minlength=people).astype(np.int64)


def _rows(services: Services, entries: Entries, until: Days, served: Flags) -> _Rows:
    people = entries.people
    counts = served[people] & (services.since[people] <= entries.dates) & (entries.dates <= until[people])
    people, dates, millidays = people[counts], entries.dates[counts], entries.millidays[counts]
    months = months_before(services.first[people], dates)
    order = np.argsort(months, kind="stable")
    months = months[order]
    return _Rows(people[order], millidays[order], months // MONTHS_A_YEAR + 1, months % MONTHS_A_YEAR)
