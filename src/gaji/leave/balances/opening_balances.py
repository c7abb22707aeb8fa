"""Take-on balances of leave: of which day they are, and to which service they belong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves import facts as waves
from gaji.company.waves.facts import WaveFacts
from gaji.db.tenancy import Transaction
from gaji.people.service_periods import facts as service_periods
from gaji.people.service_periods.facts import Term
from gaji.people.take_on import facts as take_on
from gaji.people.wave_periods import facts as wave_periods
from gaji.people.wave_periods.facts import PaidBy


@dataclass(frozen=True)
class TakenOn:
    """What an employee had left over when the company moved in."""

    day: date
    millidays: Mapping[int, int]
    """By leave type."""


async def taken_on(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, TakenOn]:
    """Of those of these employees who had leave left over, by employee."""
    kept = await take_on.leave(tx, client_id, employee_ids)
    if not kept:
        return {}
    terms = await service_periods.terms(tx, client_id, list(kept))
    known = await waves.waves(tx, client_id)
    paid_by = await wave_periods.waves_of(tx, client_id, list(kept))
    found = {}
    for employee_id, (year, millidays) in kept.items():
        day = take_on_day(year, terms[employee_id], _moved_in(year, paid_by[employee_id], known))
        if day is not None:
            found[employee_id] = TakenOn(day, millidays)
    return found


def take_on_day(year: int, terms: Sequence[Term], moved_in: date) -> date | None:
    """The day of a take-on balance: in its year, not before the company moved in, and in a service that was then."""
    day = max(date(year, 1, 1), moved_in)
    for term in terms:
        if term.end is None or day <= term.end:
            begins_in_time = term.start <= max(day, date(year, 12, 31))
            return max(day, term.start) if begins_in_time else None
    return None


def _moved_in(year: int, paid_by: Sequence[PaidBy], known: Mapping[int, WaveFacts]) -> date:
    """The first day of the first period of the wave that paid the employee in a year."""
    for one in paid_by:
        if one.end is None or one.end >= date(year, 1, 1):
            wave = known[one.wave_id]
            return wave.schedule.start(wave.first_offset)
    return date(year, 1, 1)
