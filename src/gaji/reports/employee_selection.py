"""Whom reports about a day are about: the employees of a client, of some waves, or some of them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.employees import facts as employees
from gaji.people.service_periods import facts as service_periods
from gaji.people.service_periods.facts import Term, services
from gaji.people.wave_periods.facts import PaidBy, waves_of, waves_on

AT_ONCE = 5000
"""Employees that are looked at together."""


@dataclass(frozen=True)
class Staff:
    """Who is asked for; none of the ids means any."""

    wave_ids: frozenset[int]
    employee_ids: Sequence[int]

    @classmethod
    def of(cls, record: Record) -> "Staff":
        """Whom a request names."""
        return cls(frozenset(record["wave_ids"] or ()), sorted(record["employee_ids"] or ()))

    def has_wave(self, paid_by: Sequence[PaidBy], on: date) -> bool:
        """Whether one of the waves, if any are asked for, is the one that pays for a day."""
        return not self.wave_ids or any(one.wave_id in self.wave_ids and _holds(one, on) for one in paid_by)


@dataclass(frozen=True, slots=True)
class Member:
    """One of them: the number as JSON, and whether in service on the day."""

    number: str
    serves: bool


@dataclass(frozen=True, slots=True)
class Served:
    """A service of one of them that some days lie in, and the last of these."""

    number: str
    """As JSON."""
    term: Term
    last: date


async def staff(tx: Transaction, client_id: int, asked: Staff, on: date) -> AsyncIterator[dict[int, Member]]:
    """Those whose service began by this day, by employee and some at a time; with waves, those whom they pay on it."""
    async for some in _in_turn(tx, client_id, asked):
        numbers = await employees.numbers(tx, client_id, some)
        periods = await services(tx, client_id, some)
        paid_by = await _paid_by(tx, client_id, asked, some)
        yield {
            employee_id: Member(json_text(numbers[employee_id]), any(_holds(one, on) for one in periods[employee_id]))
            for employee_id in some
            if periods[employee_id][0].start <= on and asked.has_wave(paid_by.get(employee_id, ()), on)
        }


@dataclass(frozen=True, slots=True)
class Serving:
    """Some who are in service on a day."""

    terms: Sequence[Term]
    numbers: Mapping[int, str]
    """By employee."""
    waves: Mapping[int, int]
    """By employee, the wave that pays for the day."""


async def serving(tx: Transaction, client_id: int, asked: Staff, on: date) -> AsyncIterator[Serving]:
    """Those in service on a day, some at a time; with waves, those whom they pay on it."""
    async for some in _in_turn(tx, client_id, asked):
        waves = await waves_on(tx, client_id, some, on)
        terms = await service_periods.serving(tx, client_id, on, some)
        if asked.wave_ids:
            terms = [term for term in terms if waves[term.employee_id] in asked.wave_ids]
        yield Serving(terms, await employees.numbers(tx, client_id, some), waves)


async def served(tx: Transaction, client_id: int, asked: Staff, first: date, last: date) -> AsyncIterator[list[Served]]:
    """Every service between two days, some at a time; with waves, of those whom they pay on its last day there."""
    async for some in _in_turn(tx, client_id, asked):
        numbers = await employees.numbers(tx, client_id, some)
        periods = await service_periods.terms(tx, client_id, some)
        paid_by = await _paid_by(tx, client_id, asked, some)
        found = []
        for employee_id in some:
            for term in periods[employee_id]:
                end = last if term.end is None else min(last, term.end)
                if term.start <= end and first <= end and asked.has_wave(paid_by.get(employee_id, ()), end):
                    found.append(Served(json_text(numbers[employee_id]), term, end))
        yield found


async def _in_turn(tx: Transaction, client_id: int, asked: Staff) -> AsyncIterator[Sequence[int]]:
    """The employees who are asked for, some at a time."""
    everyone = asked.employee_ids or await employees.everyone(tx, client_id)
    for place in range(0, len(everyone), AT_ONCE):
        yield everyone[place : place + AT_ONCE]


async def _paid_by(
    tx: Transaction, client_id: int, asked: Staff, employee_ids: Sequence[int]
) -> dict[int, list[PaidBy]]:
    """The waves of these employees, where it matters."""
    return await waves_of(tx, client_id, employee_ids) if asked.wave_ids else {}


def _holds(period: ServiceInterval | PaidBy, day: date) -> bool:
    return period.start <= day and (period.end is None or day <= period.end)
