"""What a day is worth to employees who are paid, for those who value leave."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.calculations import entries as calculations
from gaji.db.tenancy import Transaction
from gaji.employees import facts as employees
from gaji.engine.cases import Case
from gaji.engine.daily_rates import gross_daily_rates
from gaji.engine.earnings import GrossRate
from gaji.lawbook import law
from gaji.payslips import grounds
from gaji.payslips.rules import touching


@dataclass(frozen=True)
class DailyRates:
    """The gross rates of some employees, each at a place."""

    employee_ids: Sequence[int]
    rates: GrossRate


async def daily_rates(tx: Transaction, client_id: int, employee_ids: Sequence[int], on: date) -> list[DailyRates]:
    """The rates of those of these employees who are in service on a day, by what recurs on their payslips.

    Raises LawDoesNotCover for a day outside of the law.
    """
    found = await grounds.load(tx, client_id, employee_ids)
    by_wave: dict[int, list[int]] = defaultdict(list)
    for employee_id in employee_ids:
        for one in found.stretches[employee_id]:
            if one.start <= on and (one.end is None or on <= one.end):
                by_wave[one.wave_id].append(employee_id)
    catalogue = await calculations.catalogue(tx, client_id)
    rates = []
    for wave_id, some in by_wave.items():
        wave = found.waves[wave_id]
        period = wave.period(wave.schedule.holding(on))
        people = await employees.people(tx, client_id, some)
        entered = await calculations.entries(tx, client_id, [(None, one, False) for one in some], on)
        cases = [
            Case(period, people[one], touching(found.stretches[one], wave_id, period), own)
            for one, own in zip(some, entered, strict=True)
        ]
        rates.append(DailyRates(some, gross_daily_rates(law(), catalogue, cases)))
    return rates
