"""Resolve and authorise the owner of a calculation."""

from dataclasses import dataclass
from datetime import date

from gaji.company.clients.service import require_officer
from gaji.core import clock
from gaji.core.errors import Conflict, NotFound
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue, build_catalogue
from gaji.identity.roles import require_writer
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.effective_dates import load_current_day
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips.queries import PayslipRef, load_payslip_ref
from gaji.payroll.profiles import queries as profiles
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee
from gaji.periods.guards import ClosedPeriod

NOT_CALCULATIONS = "Employees can read their own record but not their calculations"

SYSTEM_CATALOGUE = build_catalogue()
"""Enough to validate a calculation of a system type, because custom items cannot change system types."""


@dataclass(frozen=True)
class CalculationScope:
    """An owner, with what is needed to validate and show its calculations."""

    owner: CalculationOwner
    catalogue: Catalogue
    as_of: date
    """The day on which values are taken."""
    special: bool = False
    finalised: bool = False
    """Whether it is a finalised payslip, whose calculations are recorded late."""


async def load_readable_scope(tx: Transaction, owner: CalculationOwner, as_of: date | None = None) -> CalculationScope:
    """Load the scope of an owner whose calculations the caller may see.

    Without a day, the values of a payslip are those of its date, and recurring values those of today, or of the start
    of the current draft if that is later.
    """
    await require_officer(tx, owner.client_id, NOT_CALCULATIONS)
    payslip = await load_payslip_ref(tx, owner.payslip_id) if owner.payslip_id is not None else None
    catalogue = await load_catalogue(tx, owner.client_id)
    if payslip is None:
        return CalculationScope(owner, catalogue, as_of or await load_current_day(tx, owner))
    return CalculationScope(owner, catalogue, payslip.date, payslip.special)


async def lock_scope(
    tx: Transaction, owner: CalculationOwner, calc_type: str, *, late: bool = False
) -> CalculationScope:
    """Load the scope of an owner whose calculations the caller may change, and lock it until the transaction ends.

    Those of a finalised payslip can change only if they are recorded late.
    """
    if owner.employee_id is None:
        await require_writer(tx, owner.client_id)
        await repository.lock_client_calculations(tx, owner.client_id)
        return CalculationScope(owner, await _lock_catalogue(tx, owner.client_id, calc_type), clock.today())
    # Lock the custom item before the employee, as an update of a custom item does. The other order could deadlock.
    catalogue = await _lock_catalogue(tx, owner.client_id, calc_type)
    await lock_employee_for_pay_change(tx, owner.employee_id)
    if owner.payslip_id is None:
        return CalculationScope(owner, catalogue, clock.today())
    payslip = await _load_payslip(tx, owner.payslip_id)
    if payslip.finalised and not late:
        raise _finalised(owner.payslip_id, payslip.date)
    if payslip.corrects is not None:
        raise Conflict(
            f"Payslip {owner.payslip_id} corrects payslip {payslip.corrects} and has no calculations of its own"
        )
    return CalculationScope(owner, catalogue, payslip.date, payslip.special, payslip.finalised)


async def lock_employee_scope(tx: Transaction, employee_id: int, calc_type: str) -> CalculationScope:
    """Load and lock the scope of an employee whose client is not known yet."""
    if calc_type not in SYSTEM_TYPES:
        return await lock_scope(tx, await load_employee_owner(tx, employee_id), calc_type)
    client_id = await lock_employee_for_pay_change(tx, employee_id)
    return CalculationScope(CalculationOwner(client_id, employee_id=employee_id), SYSTEM_CATALOGUE, clock.today())


async def recalculate_drafts(tx: Transaction, scope: CalculationScope, calc_type: str) -> None:
    """Recalculate the drafts that a change of the owner's calculation of this type affects."""
    owner = scope.owner
    if scope.finalised:
        return None
    if owner.employee_id is None:
        return await recalculation.recalculate_client(tx, owner.client_id)
    if calc_type == WEEK_HOURS:  # The days of leave depend on the regular hours too.
        await recalculation.recalculate_employee(tx, owner.client_id, owner.employee_id)
    else:
        await recalculation.recalculate_entries_of(tx, owner.client_id, owner.employee_id)
    if owner.payslip_id is not None:
        # The recalculation has locked the drafts. If the payslip was finalised before that, it shows now.
        payslip = await load_payslip_ref(tx, owner.payslip_id)
        if payslip and payslip.finalised:
            raise _finalised(owner.payslip_id, payslip.date)
    return None


async def load_employee_owner(tx: Transaction, employee_id: int) -> CalculationOwner:
    """Return the owner for an employee that the caller may see."""
    return CalculationOwner(await require_readable_employee(tx, employee_id), employee_id=employee_id)


async def load_profile_owner(tx: Transaction, profile_id: int) -> CalculationOwner:
    """Return the owner for a profile that the caller may see."""
    client_id = await profiles.find_client_id(tx, profile_id)
    if client_id is None:
        raise NotFound(f"Profile {profile_id} does not exist")
    return CalculationOwner(client_id, profile_id=profile_id)


async def load_payslip_owner(tx: Transaction, payslip_id: int) -> CalculationOwner:
    """Return the owner for a payslip that the caller may see."""
    payslip = await _load_payslip(tx, payslip_id)
    return CalculationOwner(payslip.client_id, employee_id=payslip.employee_id, payslip_id=payslip_id)


async def require_officer_of_employee(tx: Transaction, employee_id: int) -> int:
    """Return the client of an employee. Raises Forbidden for employees, who can see only their own record."""
    client_id = await require_readable_employee(tx, employee_id)
    await require_officer(tx, client_id, NOT_CALCULATIONS)
    return client_id


async def _lock_catalogue(tx: Transaction, client_id: int, calc_type: str) -> Catalogue:
    """Return the catalogue to validate a calculation of this type, with the type locked if it is a custom item."""
    return SYSTEM_CATALOGUE if calc_type in SYSTEM_TYPES else await load_catalogue(tx, client_id, lock_type=calc_type)


async def _load_payslip(tx: Transaction, payslip_id: int) -> PayslipRef:
    payslip = await load_payslip_ref(tx, payslip_id)
    if payslip is None:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return payslip


def _finalised(payslip_id: int, day: date) -> Conflict:
    return ClosedPeriod(f"Payslip {payslip_id} of {day} is finalised and cannot change; unfinalise its pay run first")
