"""Whom reports about a day are about: the employees of a client, of some waves, or some of them."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.attributes import Record
from gaji.db.tenancy import Transaction
from gaji.elements import json_text
from gaji.employees import facts as employees
from gaji.engine.cases import Stretch
from gaji.service_periods.facts import services
from gaji.wave_periods.facts import PaidBy, waves_of

AT_ONCE = 1000
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


@dataclass(frozen=True, slots=True)
class Member:
    """One of them: the number as JSON, and whether in service on the day."""

    number: str
    serves: bool


async def staff(tx: Transaction, client_id: int, asked: Staff, on: date) -> AsyncIterator[dict[int, Member]]:
    """Those whose service began by this day, by employee and some at a time; with waves, those whom they pay on it."""
    everyone = asked.employee_ids or await employees.everyone(tx, client_id)
    for place in range(0, len(everyone), AT_ONCE):
        some = everyone[place : place + AT_ONCE]
        numbers = await employees.numbers(tx, client_id, some)
        served = await services(tx, client_id, some)
        paid_by = await waves_of(tx, client_id, some) if asked.wave_ids else {}
        yield {
            employee_id: Member(json_text(numbers[employee_id]), _serves(served[employee_id], on))
            for employee_id in some
            if served[employee_id][0].start <= on
            and (not asked.wave_ids or _wave(paid_by.get(employee_id, ()), on) in asked.wave_ids)
        }


def _serves(served: Sequence[Stretch], on: date) -> bool:
    return any(one.start <= on and (one.end is None or on <= one.end) for one in served)


def _wave(paid_by: Sequence[PaidBy], on: date) -> int | None:
    """The wave that pays for this day."""
    return next((one.wave_id for one in paid_by if one.start <= on and (one.end is None or on <= one.end)), None)
