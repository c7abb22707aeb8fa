"""Gross daily rates of employees, used to value leave."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.queries import load_pay_calendars
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.daily_rates import gross_daily_rates, gross_rate_types
from gaji.engine.earnings import GrossRate
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import resolve as calculations


@dataclass(frozen=True)
class DailyRates:
    """The gross rates of some employees, in the order of their ids."""

    employee_ids: Sequence[int]
    rates: GrossRate


async def load_daily_rates(
    tx: Transaction, client_id: int, wave_of: Mapping[int, int], as_of: date
) -> list[DailyRates]:
    """Load the gross daily rates of employees on a day, from the recurring items of their payslips.

    `wave_of` maps each employee to a wave. Raises MonthNotCovered for a day outside the law's tables.
    """
    employees_by_wave: dict[int, list[int]] = defaultdict(list)
    for employee_id, wave_id in wave_of.items():
        employees_by_wave[wave_id].append(employee_id)
    calendars = await load_pay_calendars(tx, client_id)
    catalogue = await load_catalogue(tx, client_id)
    types = gross_rate_types(catalogue)
    rates = []
    for wave_id, employee_ids in employees_by_wave.items():
        period = calendars[wave_id].period(calendars[wave_id].schedule.offset_containing(as_of))
        slips = [(None, employee_id, False) for employee_id in employee_ids]
        entries = await calculations.resolve_entries(tx, client_id, slips, as_of, types)
        daily_rates = await asyncio.to_thread(gross_daily_rates, current_law(), catalogue, period, entries)
        rates.append(DailyRates(employee_ids, daily_rates))
    return rates
