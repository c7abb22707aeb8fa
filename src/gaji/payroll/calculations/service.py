"""What can be asked about calculations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, Errors, NotFound, invalid
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.accounting.queries import load_ledger
from gaji.payroll.calculations import inherited
from gaji.payroll.calculations import scope
from gaji.payroll.calculations import repository
from gaji.payroll.calculations import validate
from gaji.payroll.calculations.chains import load_chains, hours_are_inherited
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.rules import CALCULATION, CalculationName
from gaji.payroll.calculations.serializers import element, elements
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.payslips import queries
from gaji.people.employees.identity import writable_employee


@dataclass(frozen=True)
class Saved:
    """What a write did."""

    id: int
    message: str
    warnings: Mapping[str, str]


async def list_for_client(tenant: Tenant, client_id: int) -> list[Record]:
    """What a client says."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await _list(tx, CalculationOwner(client_id))


async def list_for_employee(tenant: Tenant, employee_id: int) -> list[Record]:
    """What is entered for an employee, and what they inherit."""
    async with tenant.reading() as tx:
        return await _list(tx, await scope.owner_of_employee(tx, employee_id))


async def list_for_payslip(tenant: Tenant, payslip_id: int) -> list[Record]:
    """What is entered for a payslip, and what it inherits."""
    async with tenant.reading() as tx:
        return await _list(tx, await scope.owner_of_payslip(tx, payslip_id))


async def read_calculation(tenant: Tenant, calculation_id: int) -> Record:
    """One calculation, with the inputs of all levels."""
    async with tenant.reading() as tx:
        owner = (await _calculation(tx, calculation_id)).owner
        subject = await scope.load_readable_scope(tx, owner)
        chains = await load_chains(tx, owner, subject.on)
        outputs = await _outputs(tx, owner)
        accounts = await load_ledger(tx, owner.client_id, subject.catalogue)
    found = [chain for chain in chains.values() if any(one.id == calculation_id for one in chain)]
    if not found:
        raise _missing(calculation_id)
    return element(accounts, owner, found[0], outputs, special=subject.special)


async def save_client_calculation(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> Saved:
    """Switch a calculation on for a company, with what it is unless a closer level says otherwise."""
    async with tenant.transaction() as tx:
        return await _enter(tx, CalculationOwner(client_id), body)


async def save_employee_calculation(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> Saved:
    """Create or change a recurring calculation of an employee."""
    async with tenant.transaction() as tx:
        name = _calc_type(body)
        if name == WEEK_HOURS and await hours_are_inherited(tx, await writable_employee(tx, employee_id)):
            return Saved(*await inherited.change(tx, employee_id, body))
        return await _save(tx, await scope.lock_employee_scope(tx, employee_id, name), name, body)


async def save_payslip_calculation(tenant: Tenant, payslip_id: int, body: Mapping[str, Any]) -> Saved:
    """Create or change a calculation of one payslip."""
    async with tenant.transaction() as tx:
        return await _enter(tx, await scope.owner_of_payslip(tx, payslip_id), body)


async def update_calculation(tenant: Tenant, calculation_id: int, body: Mapping[str, Any]) -> Saved:
    """Change what the body names of a calculation."""
    async with tenant.transaction() as tx:
        found = await _calculation(tx, calculation_id)
        given = CALCULATION.unwrap(body)
        if given.get("calc_type") is not None and _calc_type(body) != found.type:
            raise invalid(
                "calc_type", INVALID, reason=f"must stay {found.type}; delete the calculation and enter another one"
            )
        subject = await scope.lock_scope(tx, found.owner, found.type)
        await _calculation(tx, calculation_id)  # unless it was deleted before it was locked
        return await _save(tx, subject, found.type, body)


async def delete_calculation(tenant: Tenant, calculation_id: int) -> None:
    """Remove what one level says about a type."""
    async with tenant.transaction() as tx:
        found = await _calculation(tx, calculation_id)
        await scope.lock_scope(tx, found.owner, found.type)
        await _calculation(tx, calculation_id)  # unless it was deleted before it was locked
        await repository.delete(tx, found.owner.client_id, calculation_id)
        await scope.recalculate_drafts(tx, found.owner, found.type)


async def _list(tx: Transaction, owner: CalculationOwner) -> list[Record]:
    subject = await scope.load_readable_scope(tx, owner)
    chains = await load_chains(tx, owner, subject.on)
    accounts = await load_ledger(tx, owner.client_id, subject.catalogue)
    return elements(accounts, owner, chains, await _outputs(tx, owner), special=subject.special)


async def _outputs(tx: Transaction, owner: CalculationOwner) -> dict[str, str]:
    """The amounts of the payslip, or of the employee's draft, by item."""
    payslip_id = owner.payslip_id
    if payslip_id is None and owner.employee_id is not None:
        payslip_id = await queries.current_draft(tx, owner.client_id, owner.employee_id)
    return {} if payslip_id is None else await queries.outputs(tx, owner.client_id, payslip_id)


async def _enter(tx: Transaction, owner: CalculationOwner, body: Mapping[str, Any]) -> Saved:
    name = _calc_type(body)
    return await _save(tx, await scope.lock_scope(tx, owner, name), name, body)


async def _save(tx: Transaction, subject: CalculationScope, name: str, body: Mapping[str, Any]) -> Saved:
    around = await validate.look_around(tx, subject, name)
    calculation, reading = validate.read(body, subject, name, around)
    definition = subject.catalogue.types[name].definition
    calculation_id = await repository.save(tx, calculation, definition.id if definition else None)
    await scope.recalculate_drafts(tx, subject.owner, name)
    done = "created" if calculation.id is None else "updated"
    return Saved(calculation_id, f"The calculation has been {done}", reading.warnings)


def _calc_type(body: Mapping[str, Any]) -> str:
    """The type that a body names; an empty one where it names none, which is told with the other errors."""
    return CalculationName().parse(CALCULATION.unwrap(body).get("calc_type"), "calc_type", Errors()) or ""


async def _calculation(tx: Transaction, calculation_id: int) -> Calculation:
    found = await repository.calculation(tx, calculation_id)
    if found is None:
        raise _missing(calculation_id)
    return found


def _missing(calculation_id: int) -> NotFound:
    return NotFound(f"There is no calculation {calculation_id}")
