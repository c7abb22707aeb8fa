"""Balances of any number of employees at once, as columns."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import numpy as np

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.balances import BalanceDates, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.child_leave import MovementsByType, TakenLeave, list_child_leave
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES
from gaji.engine.leave.holidays_off import list_days_in_lieu
from gaji.engine.leave.leave_years import PersonIndexes
from gaji.engine.leave.movements import LeaveService, Movement, Settlement
from gaji.engine.leave.part_time import list_hours_changes
from gaji.engine.leave.policies import HolidayOffChoice, LeavePolicy, Policies
from gaji.law.columns import Dates, date_column
from gaji.law.quantities import Millis, counts
from gaji.leave.balances.opening_balances import OpeningBalances, load_opening_balances
from gaji.leave.balances.parents import Parents, load_parents
from gaji.leave.balances.recorded import RecordedLeave, load_recorded
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.types.queries import INCLUDED_IN, LeaveType, load_leave_types
from gaji.people.service_periods import queries as service_periods
from gaji.people.service_periods.queries import ServiceTerm

LeaveTaken = Sequence[tuple[date, int]]
"""Dates and thousandths of days."""


@dataclass(frozen=True)
class BalanceColumns:
    """The balances of employees on a day in thousandths: one row for each employee, one column for each type."""

    employee_ids: Sequence[int]
    types: Sequence[LeaveType]
    millidays: Millis


@dataclass(frozen=True)
class LeaveBalances:
    """Service terms with the leave that was recorded in them and their opening balances."""

    types: Sequence[LeaveType]
    terms: Sequence[ServiceTerm]
    opening_balances: Mapping[int, OpeningBalances]
    recorded: RecordedLeave
    parents: Parents | None = None
    """Who has children. None: nobody."""
    day_lengths: DayLengths | None = None
    """The working weeks of the employees. None: no policy needs them."""
    _grants_cache: dict[tuple[int, date | None, date], MovementsByType] = field(default_factory=dict)
    _dates_cache: dict[int, BalanceDates] = field(default_factory=dict)
    """By the identity of the requested dates, which the cached values keep alive."""

    @cached_property
    def first(self) -> Dates:
        """The first day of each service."""
        return date_column([term.start for term in self.terms])

    @cached_property
    def last(self) -> Dates:
        """The last day of each service that has ended."""
        return date_column([term.end for term in self.terms])

    def balance(self, leave_type: LeaveType, as_of: Dates, *, settled: bool = True) -> Millis:
        """Return the balance of a type on a date for each service.

        With `settled`, a balance that is paid out or lost on the last day of service is zero on that day.
        """
        recorded = self.of_type(leave_type)
        entries = LeaveEntries(recorded.people, recorded.dates, recorded.millidays)
        dates = self._balance_dates(as_of)
        if any(leave_type.id in opening.millidays for _, opening in self._openings):
            dates, entries = self._with_openings(leave_type, dates, entries)
        if self.parents is not None and leave_type.system_type in CHILD_LEAVE_TYPES:
            entries = self._with_child_leave(leave_type, self.parents, as_of, entries)
        if self.day_lengths is not None and leave_type.makes_choice(HolidayOffChoice.DAY_IN_LIEU):
            entries = self._with_days_in_lieu(leave_type, self.day_lengths, as_of, entries)
        if leave_type.has_rules:
            balance = self._computed_balance(leave_type, dates, entries)
        else:
            balance = _sum_entries(dates, entries)
        ends = settled and leave_type.settlement(None) is not Settlement.ENDS
        return np.where(as_of == self.last, np.minimum(balance, 0), balance) if ends else balance

    def _computed_balance(self, leave_type: LeaveType, dates: BalanceDates, entries: LeaveEntries) -> Millis:
        """The balances by the policies of each employee. Part-time employees may have their own."""
        if self.day_lengths is None or not leave_type.prorates_part_time:
            return compute_balances(leave_type.policies, dates, entries, leave_type.minimum).millidays
        groups: dict[tuple[Policies, Policies | None], list[int]] = {}
        for index, term in enumerate(self.terms):
            policies_of_employee = leave_type.policies_of(self.day_lengths.schedule(term.employee_id))
            groups.setdefault(policies_of_employee, []).append(index)
        balance = np.zeros(len(self.terms), dtype=np.int64)
        for (policies, minimum), indexes in groups.items():
            people = np.array(indexes, dtype=np.intp)
            selected = self._with_hours_changes(tuple(policies), people, dates, entries.select(people, len(self.terms)))
            balance[people] = compute_balances(policies, dates.select(people), selected, minimum).millidays
        return balance

    def _with_hours_changes(
        self, policies: tuple[LeavePolicy, ...], people: PersonIndexes, dates: BalanceDates, entries: LeaveEntries
    ) -> LeaveEntries:
        """Add the corrections of changes of hours within a leave year."""
        rows = [
            (row, movement)
            for row, index in enumerate(people.tolist())
            for movement in list_hours_changes(
                policies, LeaveService(self.terms[index].start, self.terms[index].end), dates.as_of[index].item()
            )
        ]
        return _with_movements(entries, [row for row, _ in rows], [movement for _, movement in rows])

    def with_leave(self, people: Sequence[int], type_ids: Sequence[int], taken: LeaveTaken) -> "LeaveBalances":
        """Return the balances with more leave taken in the services at these indexes."""
        recorded = self.recorded
        more = RecordedLeave(
            np.concatenate([recorded.people, np.array(people, dtype=np.intp)]),
            np.concatenate([recorded.type_ids, counts(type_ids)]),
            np.concatenate([recorded.dates, date_column([day for day, _ in taken])]),
            np.concatenate([recorded.millidays, -counts([millidays for _, millidays in taken])]),
            np.concatenate([recorded.taken, np.ones(len(taken), dtype=np.bool_)]),
        )
        return replace(self, recorded=more, _grants_cache={})

    def of_type(self, leave_type: LeaveType) -> RecordedLeave:
        """Return what was recorded of a type, including leave of the types that it includes."""
        system_type = leave_type.system_type
        included = [other.id for other in self.types if INCLUDED_IN.get(other.system_type or "") == system_type]
        selected = self.recorded.type_ids == leave_type.id
        if system_type and included:
            selected |= self.recorded.taken & np.isin(self.recorded.type_ids, included)
        return self.recorded.select(np.flatnonzero(selected))

    def _balance_dates(self, as_of: Dates) -> BalanceDates:
        """The services up to a date each. Types without opening balances share one object."""
        services = ServiceColumns(self.first, self.last, self.first)
        return self._dates_cache.setdefault(id(as_of), BalanceDates(services, as_of))

    def _with_openings(
        self, leave_type: LeaveType, dates: BalanceDates, entries: LeaveEntries
    ) -> tuple[BalanceDates, LeaveEntries]:
        """Count from the take-on days, starting with the opening balances."""
        openings = [(index, opening) for index, opening in self._openings if leave_type.id in opening.millidays]
        indexes = np.array([index for index, _ in openings], dtype=np.intp)
        counted_from = self.first.copy()
        counted_from[indexes] = date_column([opening.day for _, opening in openings])
        millidays = counts([opening.millidays[leave_type.id] for _, opening in openings])
        combined = LeaveEntries(
            np.concatenate([entries.people, indexes]),
            np.concatenate([entries.dates, counted_from[indexes]]),
            np.concatenate([entries.millidays, millidays]),
        )
        return BalanceDates(replace(dates.services, counted_from=counted_from), dates.as_of), combined

    def _with_child_leave(
        self, leave_type: LeaveType, parents: Parents, as_of: Dates, entries: LeaveEntries
    ) -> LeaveEntries:
        """Add the leave that the law grants for children, and what of it lapses."""
        openings = {index: opening.day for index, opening in self._openings if leave_type.id in opening.millidays}
        people: list[int] = []
        movements: list[Movement] = []
        for index, term in enumerate(self.terms):
            if term.employee_id in parents.families:
                by_type = self._child_leave(parents, index, openings.get(index), as_of[index].item())
                granted = by_type.get(leave_type.system_type or "", ())
                people += [index] * len(granted)
                movements += granted
        return _with_movements(entries, people, movements)

    def _with_days_in_lieu(
        self, leave_type: LeaveType, day_lengths: DayLengths, as_of: Dates, entries: LeaveEntries
    ) -> LeaveEntries:
        """Add the days in lieu of public holidays on days off."""
        calendar = current_law().holidays
        rows = [
            (index, movement)
            for index, term in enumerate(self.terms)
            for movement in list_days_in_lieu(
                calendar, day_lengths.schedule(term.employee_id), leave_type.policies, as_of[index].item()
            )
        ]
        return _with_movements(entries, [index for index, _ in rows], [movement for _, movement in rows])

    def _child_leave(self, parents: Parents, index: int, take_on_date: date | None, until: date) -> MovementsByType:
        key = index, take_on_date, until
        if key not in self._grants_cache:
            term = self.terms[index]
            parent = parents.parent(term.employee_id, term.start, term.end, take_on_date)
            self._grants_cache[key] = list_child_leave(
                current_law().leave, parent, self._taken_for_children(index), until, only_remaining=True
            )
        return self._grants_cache[key]

    def _taken_for_children(self, index: int) -> TakenLeave:
        """The leave taken in a service of the types that depend on children."""
        rows = self._child_leave_taken.get(index, [])
        names = {leave_type.id: leave_type.system_type or "" for leave_type in self.types}
        taken: dict[str, list[tuple[date, int]]] = {}
        for row in rows:
            day, millidays = self.recorded.dates[row].item(), -int(self.recorded.millidays[row])
            taken.setdefault(names[int(self.recorded.type_ids[row])], []).append((day, millidays))
        return {leave_type: sorted(days) for leave_type, days in taken.items()}

    @cached_property
    def _child_leave_taken(self) -> dict[int, list[int]]:
        """The rows of recorded leave of the types that depend on children, by service."""
        type_ids = [leave_type.id for leave_type in self.types if leave_type.system_type in CHILD_LEAVE_TYPES]
        rows = np.flatnonzero(self.recorded.taken & np.isin(self.recorded.type_ids, type_ids))
        by_service: dict[int, list[int]] = {}
        for row in rows.tolist():
            by_service.setdefault(int(self.recorded.people[row]), []).append(row)
        return by_service

    @cached_property
    def _openings(self) -> list[tuple[int, OpeningBalances]]:
        """The opening balances in these services, with the index of the service."""
        return [
            (index, self.opening_balances[term.employee_id])
            for index, term in enumerate(self.terms if self.opening_balances else ())
            if term.employee_id in self.opening_balances
            and _contains(term, self.opening_balances[term.employee_id].day)
        ]


def _with_movements(entries: LeaveEntries, people: Sequence[int], movements: Sequence[Movement]) -> LeaveEntries:
    """The entries with movements of the services at these indexes."""
    return LeaveEntries(
        np.concatenate([entries.people, np.array(people, dtype=np.intp)]),
        np.concatenate([entries.dates, date_column([movement.date for movement in movements])]),
        np.concatenate([entries.millidays, counts([movement.millidays for movement in movements])]),
    )


async def load_balances(
    tx: Transaction, client_id: int, day: date, employee_ids: Sequence[int] | None = None
) -> BalanceColumns:
    """Load the balances of all employees in service on a day, or of some of them."""
    terms = await service_periods.load_terms_on(tx, client_id, day, employee_ids)
    balances = await load_leave_balances(tx, client_id, terms, day, whole_client=employee_ids is None)
    as_of = np.full(len(terms), np.datetime64(day, "D"))
    # In a thread: a service of many years, or many employees, take long.
    by_type = await asyncio.to_thread(lambda: [balances.balance(leave_type, as_of) for leave_type in balances.types])
    millidays = np.stack(by_type, axis=1) if terms else np.zeros((0, len(by_type)), dtype=np.int64)
    return BalanceColumns([term.employee_id for term in terms], balances.types, millidays)


async def load_leave_balances(
    tx: Transaction,
    client_id: int,
    terms: Sequence[ServiceTerm],
    until: date,
    *,
    system_type: str | None = None,
    whole_client: bool = False,
) -> LeaveBalances:
    """Load what the balances of these services up to a day follow from, of all types or of one system type.

    With `whole_client`, the services are those of all employees, and no filter by employee is sent.
    """
    employee_ids = list({term.employee_id for term in terms})
    leave_types = await load_leave_types(tx, client_id)
    if system_type is not None:
        leave_types = [leave_type for leave_type in leave_types if _counts_for(leave_type, system_type)]
    needs_children = any(leave_type.system_type in CHILD_LEAVE_TYPES for leave_type in leave_types)
    parent_ids = None if whole_client else employee_ids
    return LeaveBalances(
        leave_types,
        terms,
        await load_opening_balances(tx, client_id, None if whole_client else employee_ids),
        await load_recorded(tx, client_id, terms, until, whole_client=whole_client),
        await load_parents(tx, client_id, leave_types, parent_ids) if needs_children else None,
        await load_needed_day_lengths(tx, client_id, leave_types, employee_ids),
    )


async def load_needed_day_lengths(
    tx: Transaction, client_id: int, leave_types: Sequence[LeaveType], employee_ids: Sequence[int]
) -> DayLengths | None:
    """Load the working weeks of employees if the policy of a leave type needs them."""
    needed = any(
        leave_type.makes_choice(HolidayOffChoice.DAY_IN_LIEU) or leave_type.prorates_part_time
        for leave_type in leave_types
    )
    return await load_day_lengths(tx, client_id, employee_ids) if needed else None


def _counts_for(leave_type: LeaveType, system_type: str) -> bool:
    """Return whether leave of a type counts for a system type."""
    return system_type in (leave_type.system_type, INCLUDED_IN.get(leave_type.system_type or ""))


def _contains(term: ServiceTerm, day: date) -> bool:
    return term.start <= day and (term.end is None or day <= term.end)


def _sum_entries(dates: BalanceDates, entries: LeaveEntries) -> Millis:
    """The balance of a type that only recorded entries change."""
    counted_from, as_of = dates.services.counted_from, dates.as_of
    counted = (counted_from[entries.people] <= entries.dates) & (entries.dates <= as_of[entries.people])
    people, weights = entries.people[counted], entries.millidays[counted]
    balance: Millis = np.bincount(people, weights=weights, minlength=len(as_of)).astype(np.int64)
    return np.where(dates.in_service, balance, 0)
