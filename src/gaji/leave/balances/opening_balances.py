"""Opening leave balances: the day they count from, and the service they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves import queries as waves
from gaji.company.waves.queries import PayCalendar
from gaji.db.tenancy import Transaction
from gaji.leave.balances import repository
from gaji.people.service_periods import queries as service_periods
from gaji.people.service_periods.queries import ServiceTerm
from gaji.people.take_on import queries as take_on
from gaji.people.wave_periods import queries as wave_periods
from gaji.people.wave_periods.queries import WaveInterval


@dataclass(frozen=True)
class OpeningBalances:
    """The leave that an employee had left when the company switched to Gaji."""

    day: date
    millidays: Mapping[int, int]
    """By leave type."""


async def load_opening_balances(
    tx: Transaction, client_id: int, employee_ids: Sequence[int] | None
) -> dict[int, OpeningBalances]:
    """Load the opening balances of these employees, or of all, by employee. Employees without any are left out."""
    stored = await take_on.load_opening_leave(tx, client_id, employee_ids)
    if not stored:
        return {}
    terms = await service_periods.load_service_terms(tx, client_id, list(stored))
    calendars = await waves.load_pay_calendars(tx, client_id)
    intervals = await wave_periods.load_wave_intervals(tx, client_id, list(stored))
    balances = {}
    for employee_id, (year, millidays) in stored.items():
        first_day = _first_period_start(year, intervals[employee_id], calendars)
        day = opening_day(year, terms[employee_id], first_day)
        if day is not None:
            balances[employee_id] = OpeningBalances(day, millidays)
    return balances


async def load_opening_day(tx: Transaction, client_id: int, employee_id: int, year: int) -> date | None:
    """Load the day from which an opening balance of a year counts for an employee. None: it would not count."""
    terms = await service_periods.load_service_terms(tx, client_id, [employee_id])
    calendars = await waves.load_pay_calendars(tx, client_id)
    intervals = await wave_periods.load_wave_intervals(tx, client_id, [employee_id])
    return opening_day(year, terms[employee_id], _first_period_start(year, intervals[employee_id], calendars))


async def list_unconfirmed(tx: Transaction, client_id: int, employee_ids: Sequence[int], since: date) -> list[int]:
    """List the employees in service before a day who have no opening balances or adjustments."""
    service = await service_periods.load_service_intervals(tx, client_id, employee_ids)
    earlier = [employee_id for employee_id in employee_ids if service[employee_id][0].start < since]
    if not earlier:
        return []
    confirmed = {*await take_on.load_opening_leave(tx, client_id, earlier)}
    confirmed.update(await repository.list_adjusted(tx, client_id, earlier))
    return [employee_id for employee_id in earlier if employee_id not in confirmed]


def opening_day(year: int, terms: Sequence[ServiceTerm], first_day: date) -> date | None:
    """Return the day of an opening balance: in its year, not before the first pay period, and in a service."""
    day = max(date(year, 1, 1), first_day)
    for term in terms:
        if term.end is None or day <= term.end:
            starts_in_time = term.start <= max(day, date(year, 12, 31))
            return max(day, term.start) if starts_in_time else None
    return None


def _first_period_start(year: int, intervals: Sequence[WaveInterval], calendars: Mapping[int, PayCalendar]) -> date:
    """The first day of the first period of the wave that paid the employee in a year."""
    for interval in intervals:
        if interval.end is None or interval.end >= date(year, 1, 1):
            calendar = calendars[interval.wave_id]
            return calendar.schedule.start(calendar.first_offset)
    return date(year, 1, 1)
