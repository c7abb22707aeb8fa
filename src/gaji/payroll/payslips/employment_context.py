"""The grounds of payslips: when employees serve and by which wave they are paid, as it stands now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.waves import facts as waves
from gaji.company.waves.facts import WaveFacts
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.payroll.payslips.rules import stretches
from gaji.people.service_periods import facts as service_periods
from gaji.people.wave_periods import facts as wave_periods
from gaji.people.wave_periods.facts import PaidBy


@dataclass(frozen=True)
class Grounds:
    """What drafts of some employees are made from."""

    waves: Mapping[int, WaveFacts]
    service: Mapping[int, Sequence[ServiceInterval]]
    stretches: Mapping[int, Sequence[PaidBy]]
    """The same service, divided by the waves that pay for it."""


async def load(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> Grounds:
    """The grounds of these employees."""
    service = await service_periods.services(tx, client_id, employee_ids)
    paid_by = await wave_periods.waves_of(tx, client_id, employee_ids)
    divided = {employee_id: stretches(service[employee_id], paid_by[employee_id]) for employee_id in employee_ids}
    return Grounds(await waves.waves(tx, client_id), service, divided)
