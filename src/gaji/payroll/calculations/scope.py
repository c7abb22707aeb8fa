"""Whose calculations a caller asks for, and what the caller may do with them."""

from dataclasses import dataclass
from datetime import date

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import Conflict, Forbidden, NotFound
from gaji.db.tenancy import Transaction
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue
from gaji.identity.service import require_writer
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.inheritance import CalculationOwner
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips import queries
from gaji.people.employees.identity import payable_employee, readable_employee

SYSTEM_ALONE = engine.build_catalogue()
"""What a calculation of a system type is checked by: no custom item can change what it means."""


@dataclass(frozen=True)
class CalculationScope:
    """An owner with what decides on its calculations."""

    owner: CalculationOwner
    catalogue: Catalogue
    on: date
    """The day whose regular hours it goes by."""
    special: bool = False


async def load_readable_scope(tx: Transaction, owner: CalculationOwner) -> CalculationScope:
    """An owner whose calculations the caller may see."""
    await _require_officer(tx, owner.client_id)
    facts = await queries.payslip_facts(tx, owner.payslip_id) if owner.payslip_id is not None else None
    on, special = (facts.date, facts.special) if facts else (clock.today(), False)
    return CalculationScope(owner, await load_catalogue(tx, owner.client_id), on, special)


async def lock_scope(tx: Transaction, owner: CalculationOwner, calc_type: str) -> CalculationScope:
    """An owner whose calculations of a type the caller may change; nobody else does until the transaction ends."""
    if owner.employee_id is None:
        await require_writer(tx, owner.client_id)
        await repository.hold(tx, owner.client_id)
        return CalculationScope(owner, await _types(tx, owner.client_id, calc_type), clock.today())
    # Before the employee is locked, as whoever changes a custom item holds it while they lock drafts.
    types = await _types(tx, owner.client_id, calc_type)
    await payable_employee(tx, owner.employee_id)
    if owner.payslip_id is None:
        return CalculationScope(owner, types, clock.today())
    facts = await queries.payslip_facts(tx, owner.payslip_id) or _no_payslip(owner.payslip_id)
    if facts.finalised:
        raise _finalised(owner.payslip_id, facts.date)
    return CalculationScope(owner, types, facts.date, facts.special)


async def lock_employee_scope(tx: Transaction, employee_id: int, calc_type: str) -> CalculationScope:
    """The same for an employee whose client is not known yet."""
    if calc_type not in SYSTEM_TYPES:
        return await lock_scope(tx, await owner_of_employee(tx, employee_id), calc_type)
    client_id = await payable_employee(tx, employee_id)
    return CalculationScope(CalculationOwner(client_id, employee_id=employee_id), SYSTEM_ALONE, clock.today())


async def recalculate_drafts(tx: Transaction, owner: CalculationOwner, calc_type: str) -> None:
    """Let the payslips follow what was just saved of a type for this owner."""
    if owner.employee_id is None:
        return await recalculation.client_changed(tx, owner.client_id)
    if calc_type == WEEK_HOURS:  # by which days of leave are counted as well
        await recalculation.employee_changed(tx, owner.client_id, owner.employee_id)
    else:
        await recalculation.inputs_changed(tx, owner.client_id, owner.employee_id)
    if owner.payslip_id is not None:
        # Recalculating locked the drafts: if the payslip was finalised in the meantime, that is seen by now.
        facts = await queries.payslip_facts(tx, owner.payslip_id)
        if facts and facts.finalised:
            raise _finalised(owner.payslip_id, facts.date)
    return None


async def owner_of_employee(tx: Transaction, employee_id: int) -> CalculationOwner:
    """An employee that the caller may see, as an owner."""
    return CalculationOwner(await readable_employee(tx, employee_id), employee_id=employee_id)


async def require_officer(tx: Transaction, employee_id: int) -> int:
    """The client of an employee of whom the caller sees more than their own record."""
    client_id = await readable_employee(tx, employee_id)
    await _require_officer(tx, client_id)
    return client_id


async def owner_of_payslip(tx: Transaction, payslip_id: int) -> CalculationOwner:
    """A payslip that the caller may see, as an owner."""
    facts = await queries.payslip_facts(tx, payslip_id) or _no_payslip(payslip_id)
    return CalculationOwner(facts.client_id, employee_id=facts.employee_id, payslip_id=payslip_id)


async def _types(tx: Transaction, client_id: int, calc_type: str) -> Catalogue:
    """The catalogue that a calculation of this type is checked by; a custom item stays as it is."""
    return SYSTEM_ALONE if calc_type in SYSTEM_TYPES else await load_catalogue(tx, client_id, keep=calc_type)


async def _require_officer(tx: Transaction, client_id: int) -> None:
    """Refuse whoever sees a record only because it is their own."""
    try:
        await require_client(tx, client_id)
    except NotFound:
        raise Forbidden("The role employee may read its own record but not what is entered for its pay") from None


def _no_payslip(payslip_id: int) -> queries.PayslipFacts:
    raise NotFound(f"There is no payslip {payslip_id}")


def _finalised(payslip_id: int, day: date) -> Conflict:
    return Conflict(f"Payslip {payslip_id} of {day} is finalised and cannot change; unfinalise its pay run first")
