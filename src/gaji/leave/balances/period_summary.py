"""What leave came to from one day to another, for any number of services at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.policies import AccrualMethod
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.length_of_service import year_of_service
from gaji.law.quantities import Counts, Millis
from gaji.leave.balances.columns import Standing, stand
from gaji.leave.balances.recorded import Recorded
from gaji.leave.types.queries import LeaveType
from gaji.people.service_periods.facts import Term

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """One type of leave in thousandths of days, a place for each service."""

    type: LeaveType
    accrual: Millis
    """All that the policy gave, and took by expiry."""
    entitlement: Millis
    """Of the year of service at the end; of policies that give nothing by themselves there is none."""
    entitled: Flags
    taken: Millis
    """Leave, and what was paid out."""
    adjustment: Millis
    """What was entered, and what was taken on."""
    balance: Millis

    @property
    def shown(self) -> Flags:
        """Where there is anything to tell."""
        columns = (self.accrual, self.taken, self.adjustment, self.balance)
        anything: Flags = np.logical_or.reduce([column != 0 for column in columns])
        return anything | self.entitled


@dataclass(frozen=True)
class _Window:
    """The days of each service that are looked at."""

    starts: Sequence[date]
    lasts: Sequence[date]
    before: Dates
    """The days before the first ones."""
    on: Dates
    """The last ones."""
    years: Counts
    """The years of service that these lie in."""


async def spans(
    tx: Transaction, client_id: int, terms: Sequence[Term], first: date, lasts: Sequence[date]
) -> list[Span]:
    """What each type came to in these services, from a first day to a last one of each."""
    starts = [max(first, term.start) for term in terms]
    standing = await stand(tx, client_id, terms, max(lasts, default=first))
    before, on = date_column([start - A_DAY for start in starts]), date_column(lasts)
    window = _Window(starts, lasts, before, on, year_of_service(standing.first, on))
    return [_span(standing, one, window) for one in standing.types]


def _span(standing: Standing, one: LeaveType, window: _Window) -> Span:
    before, on = window.before, window.on
    recorded = standing.of_type(one)
    recorded = recorded.only((before[recorded.people] < recorded.dates) & (recorded.dates <= on[recorded.people]))
    closing, opening = standing.balance(one, on), standing.balance(one, before)
    taken = -_summed(recorded, recorded.taken, len(on)) + standing.balance(one, on, settled=False) - closing
    adjustment = _summed(recorded, ~recorded.taken, len(on)) + _taken_on(standing, one, window)
    entitlement, entitled = _entitlement(one, window)
    return Span(one, closing - opening + taken - adjustment, entitlement, entitled, taken, adjustment, closing)


def _summed(recorded: Recorded, chosen: Flags, people: int) -> Millis:
    """What was recorded, of each service."""
    summed = np.bincount(recorded.people[chosen], weights=recorded.millidays[chosen], minlength=people)
    return summed.astype(np.int64)


def _taken_on(standing: Standing, one: LeaveType, window: _Window) -> Millis:
    """What was taken on in the span, of each service."""
    found = np.zeros(len(window.on), dtype=np.int64)
    for place, term in enumerate(standing.terms if standing.taken_on else ()):
        own = standing.taken_on.get(term.employee_id)
        if own is not None and window.starts[place] <= own.day <= window.lasts[place]:
            found[place] = own.millidays.get(one.id, 0)
    return found


def _entitlement(one: LeaveType, window: _Window) -> tuple[Millis, Flags]:
    """The days of the year of service that each last day lies in, and who has any by the policy of that day."""
    found, entitled = np.zeros_like(window.years), np.zeros(len(window.on), dtype=np.bool_)
    for day in set(window.lasts):
        policy, who = one.policy(day), window.on == np.datetime64(day, "D")
        if policy.accrual is not AccrualMethod.NONE:
            found[who] = policy.entitlement.at(window.years[who])
            entitled |= who
    return found, entitled
