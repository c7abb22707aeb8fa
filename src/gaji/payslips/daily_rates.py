"""What a day is worth to employees who are paid, for those who value leave."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.calculations import entries as calculations
from gaji.db.tenancy import Transaction
from gaji.engine.daily_rates import gross_daily_rates
from gaji.engine.earnings import GrossRate
from gaji.lawbook import law
from gaji.wave_periods.facts import waves_of
from gaji.waves.facts import waves


@dataclass(frozen=True)
class DailyRates:
    """The gross rates of some employees, each at a place."""

    employee_ids: Sequence[int]
    rates: GrossRate


async def daily_rates(tx: Transaction, client_id: int, employee_ids: Sequence[int], on: date) -> list[DailyRates]:
    """The rates of these employees, who are in service on a day, by what recurs on their payslips.

    Raises LawDoesNotCover for a day outside of the law.
    """
    by_wave: dict[int, list[int]] = defaultdict(list)
    for employee_id, paid_by in (await waves_of(tx, client_id, employee_ids)).items():
        by_wave[next(one.wave_id for one in paid_by if one.end is None or on <= one.end)].append(employee_id)
    known = await waves(tx, client_id)
    catalogue = await calculations.catalogue(tx, client_id)
    found = []
    for wave_id, some in by_wave.items():
        period = known[wave_id].period(known[wave_id].schedule.holding(on))
        entered = await calculations.entries(tx, client_id, [(None, one, False) for one in some], on)
        found.append(DailyRates(some, gross_daily_rates(law(), catalogue, period, entered)))
    return found
