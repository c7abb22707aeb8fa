"""What a day is worth to employees who are paid, for those who value leave."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.facts import waves
from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.daily_rates import gross_daily_rates, gross_rate_types
from gaji.engine.earnings import GrossRate
from gaji.payroll.calculations import resolve as calculations


@dataclass(frozen=True)
class DailyRates:
    """The gross rates of some employees, each at a place."""

    employee_ids: Sequence[int]
    rates: GrossRate


async def daily_rates(tx: Transaction, client_id: int, waves_of: Mapping[int, int], on: date) -> list[DailyRates]:
    """The rates on a day of employees, given with their waves, by what recurs on their payslips.

    Raises LawDoesNotCover for a day outside of the law.
    """
    by_wave: dict[int, list[int]] = defaultdict(list)
    for employee_id, wave_id in waves_of.items():
        by_wave[wave_id].append(employee_id)
    known = await waves(tx, client_id)
    catalogue = await calculations.catalogue(tx, client_id)
    types = gross_rate_types(catalogue)
    found = []
    for wave_id, some in by_wave.items():
        period = known[wave_id].period(known[wave_id].schedule.offset_containing(on))
        entered = await calculations.resolve_entries(tx, client_id, [(None, one, False) for one in some], on, types)
        found.append(DailyRates(some, gross_daily_rates(law(), catalogue, period, entered)))
    return found
