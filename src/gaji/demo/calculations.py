"""Entering what the demo's people are paid: checked as the API checks it, and saved for many at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.facts import waves as wave_facts
from gaji.core.errors import Errors, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.demo.pay import SIX_DAYS, Calculations, Pay, Terms
from gaji.engine.catalogue import Catalogue
from gaji.engine.periods import Frequency
from gaji.payroll.calculation_definitions import service as definitions
from gaji.payroll.calculation_definitions.queries import load_catalogue as catalogue_of
from gaji.payroll.calculations import inherited
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations import service as calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges, save_changes
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.payslips.recalculation import employees_changed
from gaji.payroll.payslips.selection import targets
from gaji.payroll.profiles import service as profiles
from gaji.payroll.profiles.bulk import assign_profile, load_profile_ids

NIGHTS = {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"}
INCENTIVE = {"name": "Productivity incentive", "kind": "income", "input": "percentage"}
FOR_ALL = {"calc_type": "insurance", "calculation_details": {"amount": "3.00", "description": "Group accident policy"}}
"""What the company takes from everybody."""


@dataclass(frozen=True)
class Paid:
    """One of the company's people: their id, and what is entered for them."""

    employee_id: int
    pay: Pay


async def set_up_pay(tenant: Tenant, client_id: int) -> None:
    """Give a company what it has before anybody's pay is entered."""
    nights, _ = await definitions.create_definition(tenant, client_id, NIGHTS)
    await definitions.create_definition(tenant, client_id, INCENTIVE)
    await calculations.save_client_calculation(tenant, client_id, FOR_ALL)
    templates = {"week_hours": SIX_DAYS, "meal_allowance": {"amount": "15.00"}, str(nights): {"rate": "18.00"}}
    await profiles.create_profile(tenant, client_id, {"name": "Shift work", "calculations": templates})


async def terms_of(tx: Transaction, client_id: int) -> Terms:
    """What a company that is set up pays by."""
    found = await wave_facts(tx, client_id)
    frequencies: dict[int, Frequency] = {wave_id: wave.schedule.frequency for wave_id, wave in found.items()}
    items = {one.caption: one.name for one in (await catalogue_of(tx, client_id)).custom_types}
    return Terms(
        since=min(wave.schedule.end(wave.first_offset) for wave in found.values()).replace(day=1),
        waves=frequencies,
        nights=items[NIGHTS["name"]],
        incentive=items[INCENTIVE["name"]],
    )


async def enter_pay(tx: Transaction, client_id: int, people: Sequence[Paid]) -> None:
    """Enter the pay of people who have just come, and calculate their drafts with it."""
    owners = {CalculationOwner(client_id, employee_id=one.employee_id): one.pay.calculations for one in people}
    await _save(tx, client_id, owners)
    [shifts] = await load_profile_ids(tx, client_id)
    await assign_profile(tx, client_id, shifts, [one.employee_id for one in people if one.pay.on_shifts])
    for one in people:
        if one.pay.hours is not None:
            body = {"calc_type": "week_hours", "calculation_details": one.pay.hours}
            await inherited.change(tx, one.employee_id, body)
    await employees_changed(tx, client_id, [one.employee_id for one in people])


async def enter_varying(tx: Transaction, client_id: int, end: date, varying: Mapping[int, Calculations]) -> None:
    """Enter what is paid for one period alone, by employee; whoever has no payslip of that period is left out."""
    found = await targets(tx, client_id, (), [(employee_id, end) for employee_id in varying])
    owners = {
        CalculationOwner(client_id, employee_id=employee_id, payslip_id=target.id): varying[employee_id]
        for (employee_id, _), target in found.by_date.items()
    }
    await _save(tx, client_id, owners)


async def _save(tx: Transaction, client_id: int, owners: Mapping[CalculationOwner, Calculations]) -> None:
    catalogue = await catalogue_of(tx, client_id)
    found = [
        _calculation(catalogue, owner, name, inputs)
        for owner, entered in owners.items()
        for name, inputs in entered.items()
    ]
    await save_changes(tx, catalogue, [CalculationChanges(found)])


def _calculation(catalogue: Catalogue, owner: CalculationOwner, name: str, given: Mapping[str, object]) -> Calculation:
    """A calculation whose inputs are checked by the catalogue; raises Invalid."""
    errors: Errors = Errors()
    changes = input_parsing.parse_inputs(catalogue.types[name], FieldPath(owner.level, name), given, errors)
    if errors:
        raise ValidationError(errors)
    return Calculation(owner, name, input_parsing.apply_changes({}, changes))
