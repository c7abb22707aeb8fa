"""Calculation use cases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import Errors, NotFound
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import Record
from gaji.db.external_references import external_id_race, find_external_record
from gaji.db.json_lists import json_text
from gaji.db.record_changes import ChangedRecords, ChangeRequest, load_changed_records
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.ledger import Ledger
from gaji.payroll.accounting.queries import load_ledger
from gaji.payroll.calculations import repository, scope
from gaji.payroll.calculations.effective_dates import (
    DATED_LEVELS,
    change_date,
    date_warnings,
    load_current_day,
    load_open_period,
)
from gaji.payroll.calculations.history import (
    calculation_on,
    end_on,
    is_in_force_from,
    next_start,
    without_change,
)
from gaji.payroll.calculations.inheritance import Calculation, CalculationChain, CalculationOwner
from gaji.payroll.calculations.levels import (
    CalculationLevels,
    ChainsByType,
    build_chains,
    hours_are_inherited,
    load_chains,
    load_recurring_levels,
)
from gaji.payroll.calculations.regular_hours import service as regular_hours
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.schemas import CALCULATION, CalculationName, SavedCalculation
from gaji.payroll.calculations.scope import CalculationScope
from gaji.payroll.calculations.serializers import calculation_json, calculations_json, histories_json
from gaji.payroll.calculations.validate import (
    calculation_not_found,
    load_context,
    require_in_force,
    validate_calculation,
    with_external_id,
)
from gaji.payroll.payslips import queries as payslips
from gaji.payroll.payslips.queries import PayslipOutputs
from gaji.payroll.snapshots import queries as snapshots
from gaji.people.employees.access import lock_employee
from gaji.people.employees.events import TaxDetailsChanged
from gaji.periods.guards import LATE_WARNINGS
from gaji.periods.queries import NEVER_PAID


@dataclass(frozen=True)
class CalculationElements:
    """Calculations as the API returns them."""

    elements: list[Record]
    rules_versions: Sequence[str]
    """The rules version of their outputs, if they have any."""


async def list_for_client(tenant: Tenant, client_id: int) -> CalculationElements:
    """Return the calculations of a client."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await _list(tx, CalculationOwner(client_id))


async def list_changed_for_client(tenant: Tenant, client_id: int, request: ChangeRequest) -> ChangedRecords:
    """List the calculations of a client that changed after a position as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)

        async def load_elements(ids: list[int]) -> list[str]:
            elements = (await _list(tx, CalculationOwner(client_id))).elements if ids else []
            return [json_text(element) for element in elements if element["id"] in ids]

        return await load_changed_records(tx, {"client_id": client_id}, "calculation", request, load_elements)


async def list_for_employee(tenant: Tenant, employee_id: int, as_of: date | None = None) -> CalculationElements:
    """Return the own and the inherited calculations of an employee, with their values on a day."""
    async with tenant.read_only() as tx:
        return await _list(tx, await scope.load_employee_owner(tx, employee_id), as_of)


async def list_employee_history(tenant: Tenant, employee_id: int) -> list[Record]:
    """Return the recurring calculations of an employee and of their profiles, each with all its values by date."""
    async with tenant.read_only() as tx:
        owner = await scope.load_employee_owner(tx, employee_id)
        readable = await scope.load_readable_scope(tx, owner)
        stored = await load_recurring_levels(tx, owner, employee_id)
    return histories_json(stored, readable.catalogue, readable.as_of)


async def list_profile_history(tenant: Tenant, profile_id: int) -> list[Record]:
    """Return the calculations of a profile, each with all its values by date."""
    async with tenant.read_only() as tx:
        owner = await scope.load_profile_owner(tx, profile_id)
        readable = await scope.load_readable_scope(tx, owner)
        stored = await repository.load_profile_calculations(tx, owner.client_id, [profile_id])
    return histories_json(stored, readable.catalogue, readable.as_of)


async def list_for_payslip(tenant: Tenant, payslip_id: int, *, late: bool = False) -> CalculationElements:
    """Return the own and the inherited calculations of a payslip.

    Those of a finalised payslip are as they were then, unless late ones are asked for.
    """
    async with tenant.read_only() as tx:
        return await _list(tx, await scope.load_payslip_owner(tx, payslip_id), late=late)


async def read_calculation(tenant: Tenant, calculation_id: int) -> tuple[Record, Sequence[str]]:
    """Return a calculation with the merged inputs of all levels, and the rules version of its outputs, if any."""
    async with tenant.read_only() as tx:
        stored = await _load_calculation(tx, calculation_id)
        owner = stored.owner
        view = await _load_view(tx, owner, await _find_day(tx, stored))
        chain = view.find_chain(calculation_id)
        if chain is None:  # It may have been recorded after the payslip was finalised.
            view = await _load_view(tx, owner, late=True)
            chain = view.find_chain(calculation_id)
    if chain is None:
        raise calculation_not_found(calculation_id)
    calculation = calculation_json(view.ledger, owner, chain, view.outputs.amounts, special=view.special)
    return calculation, view.rules_versions([calculation])


async def find_external_calculation(tenant: Tenant, client_id: int, external_id: str) -> int:
    """Return the ID of the calculation with an external ID. Raises NotFound."""
    async with tenant.read_only() as tx:
        calculation_id = await find_external_record(tx, "calculations", client_id, external_id)
    if calculation_id is None:
        raise NotFound(f"Calculation {external_id[:100]!r} does not exist in client {client_id}")
    return calculation_id


async def save_client_calculation(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> SavedCalculation:
    """Create or update a calculation of a client. Lower levels can override it."""
    async with tenant.transaction() as tx:
        return await _lock_and_save(tx, CalculationOwner(client_id), body)


async def save_employee_calculation(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    """Create or update a recurring calculation of an employee."""
    async with tenant.transaction() as tx:
        calc_type = _calc_type(body)
        if calc_type == WEEK_HOURS and await hours_are_inherited(tx, await lock_employee(tx, employee_id)):
            return await regular_hours.save_inherited(tx, employee_id, body, late=late)
        return await _save(tx, await scope.lock_employee_scope(tx, employee_id, calc_type), calc_type, body)


async def save_payslip_calculation(
    tenant: Tenant, payslip_id: int, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    """Create or update a calculation of a payslip. A finalised payslip does not change; see `retro_proposals`."""
    async with tenant.transaction() as tx:
        return await _lock_and_save(tx, await scope.load_payslip_owner(tx, payslip_id), body, late=late)


async def update_calculation(
    tenant: Tenant, calculation_id: int, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    """Update a calculation. Its type cannot change."""
    async with tenant.transaction() as tx:
        calculation = await _load_calculation(tx, calculation_id)
        locked = await scope.lock_scope(tx, calculation.owner, calculation.type, late=late)
        await _load_calculation(tx, calculation_id)  # It may have been deleted before the lock.
        await tx.check_precondition()
        return await _save(tx, locked, calculation.type, body, must_exist=True)


async def delete_calculation(
    tenant: Tenant, calculation_id: int, valid_from: date | None = None, *, late: bool = False
) -> dict[str, str]:
    """Delete a calculation, so that the levels above apply. Returns warnings.

    A recurring calculation ends on a date, by default at the start of the current draft. What was in force before stays
    known. Without finalised payslips and without a date, nothing of it stays.
    """
    async with tenant.transaction() as tx:
        calculation, locked = await _lock_calculation(tx, calculation_id, late=late)
        owner = calculation.owner
        is_dated = owner.level in DATED_LEVELS
        open_period = await load_open_period(tx, owner) if is_dated else NEVER_PAID
        end_date = change_date(owner, open_period, valid_from)
        if end_date is None:
            await repository.delete(tx, owner.client_id, calculation_id)
        else:
            if not is_in_force_from(calculation, end_date.isoformat()):
                raise calculation_not_found(calculation_id)
            await _replace(tx, calculation, end_on(calculation, end_date))
        await scope.recalculate_drafts(tx, locked, calculation.type)
        _emit(tx, owner.client_id, calculation_id)
        _emit_late(tx, locked)
    return {**date_warnings(owner, open_period, valid_from), **_late_warnings(locked)}


async def remove_change(tenant: Tenant, calculation_id: int, valid_from: date) -> None:
    """Remove the dated change of a recurring calculation. The values before it then continue."""
    async with tenant.transaction() as tx:
        calculation, locked = await _lock_calculation(tx, calculation_id)
        day = valid_from.isoformat()
        if day not in calculation.history:
            raise NotFound(f"Calculation {calculation_id} has no change on {day}")
        await _replace(tx, calculation, without_change(calculation, day))
        await scope.recalculate_drafts(tx, locked, calculation.type)
        _emit(tx, calculation.owner.client_id, calculation_id)


async def _lock_calculation(
    tx: Transaction, calculation_id: int, *, late: bool = False
) -> tuple[Calculation, CalculationScope]:
    """Load a calculation that the caller may change, and lock it until the transaction ends."""
    visible = await _load_calculation(tx, calculation_id)
    locked = await scope.lock_scope(tx, visible.owner, visible.type, late=late)
    calculation = await _load_calculation(tx, calculation_id)  # It may have been changed or deleted before the lock.
    await tx.check_precondition()
    return calculation, locked


async def _replace(tx: Transaction, before: Calculation, after: Calculation | None) -> None:
    """Save a calculation, or delete it if nothing of it is left."""
    if after is None:
        await repository.delete(tx, before.owner.client_id, before.id or 0)
    else:
        await repository.save(tx, after, None)


@dataclass(frozen=True)
class CalculationView:
    """What the calculations of an owner are shown with."""

    chains: ChainsByType
    ledger: Ledger
    outputs: PayslipOutputs
    special: bool

    def rules_versions(self, elements: Iterable[Record]) -> Sequence[str]:
        """Return the rules version of the outputs of calculations, if they have any."""
        version = self.outputs.rules_version
        return [version] if version and any(element["outputs"] for element in elements) else []

    def find_chain(self, calculation_id: int) -> CalculationChain | None:
        """Return the chain that has a calculation."""
        chains = self.chains.values()
        return next((chain for chain in chains if any(item.id == calculation_id for item in chain)), None)


async def _list(
    tx: Transaction, owner: CalculationOwner, as_of: date | None = None, *, late: bool = False
) -> CalculationElements:
    view = await _load_view(tx, owner, as_of, late=late)
    elements = calculations_json(view.ledger, owner, view.chains, view.outputs.amounts, special=view.special)
    return CalculationElements(elements, view.rules_versions(elements))


async def _find_day(tx: Transaction, stored: Calculation) -> date | None:
    """Return the day on which to show a calculation that starts in the future. None to show it as of now."""
    if not stored.history:
        return None
    day = (await load_current_day(tx, stored.owner)).isoformat()
    start = None if calculation_on(stored, day) else next_start(stored, day)
    return date.fromisoformat(start) if start else None


async def _load_view(
    tx: Transaction, owner: CalculationOwner, as_of: date | None = None, *, late: bool = False
) -> CalculationView:
    """Load what an owner's calculations are shown with: the live records, or the snapshot of a finalised payslip.

    Late calculations of a finalised payslip are among the live records only.
    """
    readable = await scope.load_readable_scope(tx, owner, as_of)
    outputs = await _load_outputs(tx, owner)
    snapshot = None
    if owner.payslip_id is not None and not late:
        snapshot = await snapshots.load_calculations(tx, owner.client_id, owner.payslip_id)
    if snapshot:
        levels = await _with_references(tx, owner.client_id, snapshot.levels)
        chains = build_chains(owner, levels, readable.as_of)
        return CalculationView(chains, snapshot.ledger, outputs, readable.special)
    chains = await load_chains(tx, owner, readable.as_of)
    ledger = await load_ledger(tx, owner.client_id, readable.catalogue)
    return CalculationView(chains, ledger, outputs, readable.special)


async def _with_references(tx: Transaction, client_id: int, levels: CalculationLevels) -> CalculationLevels:
    """Return levels of a snapshot with the external IDs and metadata of today, which snapshots do not have."""
    ids = [calculation.id for calculation in levels.calculations if calculation.id is not None]
    references = await repository.load_references(tx, client_id, ids)

    def refer(calculation: Calculation) -> Calculation:
        external_id, metadata = references.get(calculation.id or 0, (None, {}))
        return replace(calculation, external_id=external_id, metadata=metadata)

    return replace(levels, calculations=[refer(calculation) for calculation in levels.calculations])


async def _load_outputs(tx: Transaction, owner: CalculationOwner) -> PayslipOutputs:
    """Load the amounts of the payslip, or of the employee's draft."""
    payslip_id = owner.payslip_id
    if payslip_id is None and owner.employee_id is not None:
        payslip_id = await payslips.load_current_draft_id(tx, owner.client_id, owner.employee_id)
    return PayslipOutputs() if payslip_id is None else await payslips.load_outputs(tx, owner.client_id, payslip_id)


async def _lock_and_save(
    tx: Transaction, owner: CalculationOwner, body: Mapping[str, Any], *, late: bool = False
) -> SavedCalculation:
    calc_type = _calc_type(body)
    return await _save(tx, await scope.lock_scope(tx, owner, calc_type, late=late), calc_type, body)


async def _save(
    tx: Transaction, locked: CalculationScope, calc_type: str, body: Mapping[str, Any], *, must_exist: bool = False
) -> SavedCalculation:
    attributes = CALCULATION.unwrap(body)
    context = await load_context(tx, locked, calc_type)
    if must_exist:
        require_in_force(context, attributes)
    context = await with_external_id(tx, context, locked.owner, attributes.get("external_id"))
    calculation, warnings = validate_calculation(body, locked, calc_type, context)
    definition = locked.catalogue.types[calc_type].definition
    with external_id_race():
        calculation_id = await repository.save(tx, calculation, definition.id if definition else None)
    await scope.recalculate_drafts(tx, locked, calc_type)
    _emit(tx, calculation.owner.client_id, calculation_id)
    _emit_late(tx, locked)
    verb = "created" if calculation.id is None else "updated"
    return SavedCalculation(calculation_id, f"The calculation has been {verb}", warnings | _late_warnings(locked))


def _emit(tx: Transaction, client_id: int, calculation_id: int) -> None:
    tx.emit(ResourceEvent(EventType.CALCULATION_CHANGED, client_id, (calculation_id,)))


def _emit_late(tx: Transaction, locked: CalculationScope) -> None:
    """Report an entry of a finalised payslip: tax forms have its dates."""
    if locked.finalised and locked.owner.employee_id is not None:
        tx.emit(TaxDetailsChanged(locked.owner.client_id, (locked.owner.employee_id,)))


def _late_warnings(locked: CalculationScope) -> dict[str, str]:
    return LATE_WARNINGS if locked.finalised else {}


def _calc_type(body: Mapping[str, Any]) -> str:
    """Return the type in a body, or an empty string if it is missing or invalid. Validation reports that later."""
    return CalculationName().parse(CALCULATION.unwrap(body).get("calc_type"), "calc_type", Errors()) or ""


async def _load_calculation(tx: Transaction, calculation_id: int) -> Calculation:
    calculation = await repository.load_calculation(tx, calculation_id)
    if calculation is None:
        raise calculation_not_found(calculation_id)
    return calculation
