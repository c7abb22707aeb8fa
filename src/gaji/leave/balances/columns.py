"""Balances of any number of employees at once, without a step for each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.balances import LeaveEntries, BalanceDates, ServiceColumns, compute_balances
from gaji.engine.leave.movements import Settlement
from gaji.law.columns import Dates, date_column
from gaji.law.quantities import Millis, counts
from gaji.leave.balances.recorded import Recorded, recorded_in
from gaji.leave.balances.opening_balances import TakenOn, taken_on
from gaji.leave.types.queries import INCLUDED_IN, LeaveType, types_of
from gaji.people.service_periods import facts as service_periods
from gaji.people.service_periods.facts import Term


@dataclass(frozen=True)
class Balances:
    """The balances of some employees on a day, in thousandths: a row for each, a column for each type."""

    employee_ids: Sequence[int]
    types: Sequence[LeaveType]
    millidays: Millis


@dataclass(frozen=True)
class Standing:
    """People in service, each with one service, what was recorded in it and what was taken on."""

    types: Sequence[LeaveType]
    terms: Sequence[Term]
    taken_on: Mapping[int, TakenOn]
    recorded: Recorded
    _reaches: dict[int, BalanceDates] = field(default_factory=dict)
    """By the identity of the days that were asked for, which stay alive in here."""

    @cached_property
    def first(self) -> Dates:
        """The first days of service."""
        return date_column([term.start for term in self.terms])

    @cached_property
    def last(self) -> Dates:
        """The last ones, where there are any."""
        return date_column([term.end for term in self.terms])

    def balance(self, one: LeaveType, on: Dates, *, settled: bool = True) -> Millis:
        """The balance of one type on a day of each; on the last day of service without what it is settled by, if so
        wanted."""
        recorded = self.of_type(one)
        entries = LeaveEntries(recorded.people, recorded.dates, recorded.millidays)
        reach = self._reach(on)
        if any(one.id in found.millidays for _, found in self._taken_on):
            reach, entries = self._with_taken_on(one, reach, entries)
        found = compute_balances(one.policies, reach, entries).millidays if one.has_rules else _summed(reach, entries)
        ends = settled and one.settlement(None) is not Settlement.ENDS
        return np.where(on == self.last, np.minimum(found, 0), found) if ends else found

    def of_type(self, one: LeaveType) -> Recorded:
        """What was recorded of a type, leave of types that it includes among it."""
        included = [other.id for other in self.types if INCLUDED_IN.get(other.system_type or "") == one.system_type]
        own = self.recorded.type_ids == one.id
        if one.system_type and included:
            own |= self.recorded.taken & np.isin(self.recorded.type_ids, included)
        return self.recorded.only(own)

    def _reach(self, on: Dates) -> BalanceDates:
        """The services up to a day of each; the same for all types of which nothing was taken on."""
        return self._reaches.setdefault(id(on), BalanceDates(ServiceColumns(self.first, self.last, self.first), on))

    def _with_taken_on(self, one: LeaveType, reach: BalanceDates, entries: LeaveEntries) -> tuple[BalanceDates, LeaveEntries]:
        """The same from the take-on days on, with what was taken on."""
        own = [(place, found) for place, found in self._taken_on if one.id in found.millidays]
        places, since = np.array([place for place, _ in own], dtype=np.intp), self.first.copy()
        since[places] = date_column([found.day for _, found in own])
        opening = LeaveEntries(places, since[places], counts([found.millidays[one.id] for _, found in own]))
        both = LeaveEntries(
            np.concatenate([entries.people, opening.people]),
            np.concatenate([entries.dates, opening.dates]),
            np.concatenate([entries.millidays, opening.millidays]),
        )
        return BalanceDates(replace(reach.services, since=since), reach.as_of), both

    @cached_property
    def _taken_on(self) -> list[tuple[int, TakenOn]]:
        """What was taken on in these services, each with its place."""
        return [
            (place, self.taken_on[term.employee_id])
            for place, term in enumerate(self.terms if self.taken_on else ())
            if term.employee_id in self.taken_on and _holds(term, self.taken_on[term.employee_id].day)
        ]


async def balances_on(
    tx: Transaction, client_id: int, day: date, employee_ids: Sequence[int] | None = None
) -> Balances:
    """The balances of all employees of a client who are in service on a day, or of those of these who are."""
    terms = await service_periods.serving(tx, client_id, day, employee_ids)
    standing = await stand(tx, client_id, terms, day, whole_client=employee_ids is None)
    on = np.full(len(terms), np.datetime64(day, "D"))
    by_type = [standing.balance(one, on) for one in standing.types]
    millidays = np.stack(by_type, axis=1) if terms else np.zeros((0, len(by_type)), dtype=np.int64)
    return Balances([term.employee_id for term in terms], standing.types, millidays)


async def stand(
    tx: Transaction, client_id: int, terms: Sequence[Term], until: date, *, whole_client: bool = False
) -> Standing:
    """What the balances of these services up to a day come from; they are those of everyone where the whole client is
    meant."""
    return Standing(
        await types_of(tx, client_id),
        terms,
        await taken_on(tx, client_id, list({term.employee_id for term in terms})),
        await recorded_in(tx, client_id, terms, until, whole_client=whole_client),
    )


def _holds(term: Term, day: date) -> bool:
    return term.start <= day and (term.end is None or day <= term.end)


def _summed(reach: BalanceDates, entries: LeaveEntries) -> Millis:
    """The balance of a type that nothing but what was recorded changes."""
    since, on = reach.services.since, reach.as_of
    counted = (since[entries.people] <= entries.dates) & (entries.dates <= on[entries.people])
    people, weights = entries.people[counted], entries.millidays[counted]
    found: Millis = np.bincount(people, weights=weights, minlength=len(on)).astype(np.int64)
    return np.where(reach.in_service, found, 0)
