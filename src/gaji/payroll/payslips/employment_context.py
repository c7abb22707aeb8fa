"""When employees are in service and which wave pays them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.waves import queries as waves
from gaji.company.waves.queries import PayCalendar
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.payroll.payslips.draft_periods import paid_intervals
from gaji.people.service_periods import queries as service_periods
from gaji.people.wave_periods import queries as wave_periods
from gaji.people.wave_periods.queries import WaveInterval


@dataclass(frozen=True)
class EmploymentContext:
    """The waves of a client, and the service of some employees."""

    waves: Mapping[int, PayCalendar]
    service: Mapping[int, Sequence[ServiceInterval]]
    paid_intervals: Mapping[int, Sequence[WaveInterval]]
    """The same service, divided by the waves that pay for it."""


async def load_context(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> EmploymentContext:
    """Load the context of these employees."""
    service = await service_periods.load_service_intervals(tx, client_id, employee_ids)
    wave_intervals = await wave_periods.load_wave_intervals(tx, client_id, employee_ids)

    def divide() -> dict[int, Sequence[WaveInterval]]:
        return {
            employee_id: paid_intervals(service[employee_id], wave_intervals[employee_id])
            for employee_id in employee_ids
        }

    divided = await run_in_thread_if_many(len(employee_ids), divide)
    return EmploymentContext(await waves.load_pay_calendars(tx, client_id), service, divided)
