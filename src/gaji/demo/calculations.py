"""Enter the pay of the demo employees: validated as in the API, and saved in bulk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.queries import load_pay_calendars
from gaji.core.errors import Errors, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.demo.pay import SIX_DAYS, Calculations, CompanyPayTerms, PayPlan
from gaji.engine.catalogue import Catalogue
from gaji.engine.periods import Frequency
from gaji.payroll.calculation_definitions import service as definitions
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations import service as calculations
from gaji.payroll.calculations.bulk_changes import CalculationChanges, save_changes
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.regular_hours.service import save_inherited
from gaji.payroll.payslips.recalculation import recalculate_employees
from gaji.payroll.payslips.selection import lock_targets
from gaji.payroll.profiles import service as profiles
from gaji.payroll.profiles.mapping_service import assign_profile
from gaji.payroll.profiles.queries import list_profile_ids

NIGHTS = {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"}
INCENTIVE = {"name": "Productivity incentive", "kind": "income", "input": "percentage"}
LIFE_INSURANCE = {
    "calc_type": "insurance",
    "calculation_details": {"amount": "3.00", "description": "Life insurance premium"},
}
"""A deduction for all employees."""


@dataclass(frozen=True)
class EmployeePay:
    """An employee and the pay to enter."""

    employee_id: int
    plan: PayPlan


async def set_up_pay(tenant: Tenant, client_id: int) -> None:
    """Create the custom items, the company-wide deduction and the shift profile."""
    nights, _ = await definitions.create_definition(tenant, client_id, NIGHTS)
    await definitions.create_definition(tenant, client_id, INCENTIVE)
    await calculations.save_client_calculation(tenant, client_id, LIFE_INSURANCE)
    templates = {"week_hours": SIX_DAYS, "meal_allowance": {"amount": "15.00"}, str(nights): {"rate": "18.00"}}
    await profiles.create_profile(tenant, client_id, {"name": "Shift work", "calculations": templates})


async def load_pay_terms(tx: Transaction, client_id: int) -> CompanyPayTerms:
    """Return the pay terms of a company."""
    calendars = await load_pay_calendars(tx, client_id)
    frequencies: dict[int, Frequency] = {
        wave_id: calendar.schedule.frequency for wave_id, calendar in calendars.items()
    }
    items = {item.caption: item.name for item in (await load_catalogue(tx, client_id)).custom_types}
    return CompanyPayTerms(
        since=min(calendar.schedule.end(calendar.first_offset) for calendar in calendars.values()).replace(day=1),
        waves=frequencies,
        first_days={wave_id: calendar.schedule.start(calendar.first_offset) for wave_id, calendar in calendars.items()},
        nights=items[NIGHTS["name"]],
        incentive=items[INCENTIVE["name"]],
    )


async def enter_pay(tx: Transaction, client_id: int, pays: Sequence[EmployeePay]) -> None:
    """Enter the pay of new employees and calculate their drafts."""
    owners = {CalculationOwner(client_id, employee_id=pay.employee_id): pay.plan.calculations for pay in pays}
    await _save(tx, client_id, owners)
    [shift_profile_id] = await list_profile_ids(tx, client_id)
    await assign_profile(tx, client_id, shift_profile_id, [pay.employee_id for pay in pays if pay.plan.on_shifts])
    for pay in pays:
        if pay.plan.hours is not None:
            body = {"calc_type": "week_hours", "calculation_details": pay.plan.hours}
            await save_inherited(tx, pay.employee_id, body)
    await recalculate_employees(tx, client_id, [pay.employee_id for pay in pays])


async def enter_period_pay(
    tx: Transaction, client_id: int, period_end: date, pay_by_employee: Mapping[int, Calculations]
) -> None:
    """Enter the calculations of one period. Employees without a payslip for it are left out."""
    dates = [(employee_id, period_end) for employee_id in pay_by_employee]
    targets = await lock_targets(tx, client_id, (), dates)
    owners = {
        CalculationOwner(client_id, employee_id=employee_id, payslip_id=target.id): pay_by_employee[employee_id]
        for (employee_id, _), target in targets.by_date.items()
    }
    await _save(tx, client_id, owners)


async def _save(tx: Transaction, client_id: int, owners: Mapping[CalculationOwner, Calculations]) -> None:
    catalogue = await load_catalogue(tx, client_id)
    owner_calculations = [
        _calculation(catalogue, owner, name, inputs)
        for owner, calculations_by_type in owners.items()
        for name, inputs in calculations_by_type.items()
    ]
    await save_changes(tx, catalogue, [CalculationChanges(owner_calculations)])


def _calculation(catalogue: Catalogue, owner: CalculationOwner, name: str, inputs: Mapping[str, object]) -> Calculation:
    """Return a calculation with validated inputs. Raises ValidationError."""
    errors = Errors()
    changes = input_parsing.parse_inputs(catalogue.types[name], FieldPath(owner.level, name), inputs, errors)
    if errors:
        raise ValidationError(errors)
    return Calculation(owner, name, input_parsing.apply_changes({}, changes))
