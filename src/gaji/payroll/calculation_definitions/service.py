"""What can be asked about calculation definitions, and about all that can be entered for payslips.

Only a change lets drafts be calculated again: no payslip goes by an item that is new, or that nothing uses.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, Conflict, NotFound, invalid
from gaji.core.validation import Record, ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.calculation_definitions.events import TaxTreatmentChanged
from gaji.engine import catalogue as engine
from gaji.engine.catalogue import ItemDefinition
from gaji.identity.service import require_writer
from gaji.payroll.accounting.queries import load_ledger
from gaji.payroll.calculation_definitions import repository
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculation_definitions.consistency import broken, fits_among, referring
from gaji.payroll.calculation_definitions.serializers import items, types
from gaji.payroll.calculation_definitions.rules import CALCULATION_DEFINITION, NAME_TAKEN, among, without_default_treatment, definition
from gaji.payroll.calculations import usage
from gaji.payroll.payslips import recalculation
from gaji.payroll.payslips import queries


async def list_definitions(tenant: Tenant, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The custom items of a client as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.elements(tx, client_id, page)


async def list_types(tenant: Tenant, client_id: int) -> list[Record]:
    """Every calculation type of a client with its inputs and its treatment."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return types(await load_catalogue(tx, client_id))


async def list_items(tenant: Tenant, client_id: int) -> list[Record]:
    """Every item that can stand on a payslip of a client."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return items(await load_ledger(tx, client_id, await load_catalogue(tx, client_id)))


async def create_definition(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a custom item to a client."""
    async with _unique_name(), tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.hold(tx, client_id)
        others = await repository.definitions(tx, client_id)
        reading = CALCULATION_DEFINITION.parse_create(body, among(_names(others)), fits_among(others))
        return await repository.insert(tx, client_id, reading.record), reading


async def update_definition(tenant: Tenant, definition_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a custom item, not so that anything entered for it loses its meaning."""
    async with _unique_name(), tenant.transaction() as tx:
        client_id, current = await _for_change(tx, definition_id)
        known = await repository.definitions(tx, client_id)
        others = {other: one for other, one in known.items() if other != definition_id}
        checks = among(_names(others)), fits_among(others, definition_id)
        reading = CALCULATION_DEFINITION.parse_update(body, without_default_treatment(current), *checks)
        changed = definition(definition_id, reading.record)
        await _check_meaning_stays(tx, client_id, known[definition_id], changed)
        if lost := broken(others, changed):
            raise Conflict(f"Custom item {definition_id} cannot change in this way. {_told(lost, others)}")
        await repository.update(tx, client_id, definition_id, reading.record)
        await recalculation.client_changed(tx, client_id)
        if changed.treatment.ir8a != known[definition_id].treatment.ir8a:
            tx.emit(TaxTreatmentChanged(client_id))
        return reading


async def delete_definition(tenant: Tenant, definition_id: int) -> None:
    """Remove a custom item that nothing uses."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _for_change(tx, definition_id)
            known = await repository.definitions(tx, client_id)
            if users := referring(engine.build_catalogue(list(known.values())), definition_id):
                names = ", ".join(f"{one.name} ({one.id})" for one in users)
                raise Conflict(f"Custom item {definition_id} is named in {names}; change these first")
            await _check_unused(tx, client_id, definition_id)
            await repository.delete(tx, client_id, definition_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(_in_use(definition_id, "a calculation")) from None


async def _check_unused(tx: Transaction, client_id: int, definition_id: int) -> None:
    uses = await usage.uses(tx, client_id, definition_id)
    if uses.profiles:
        raise Conflict(_in_use(definition_id, f"the profile {', '.join(map(str, uses.profiles))}"))
    if uses.calculations:
        counted = "1 calculation" if uses.calculations == 1 else f"{uses.calculations} calculations"
        raise Conflict(_in_use(definition_id, counted))
    if await queries.has_line(tx, client_id, str(definition_id)):
        raise Conflict(f"Custom item {definition_id} stands on payslips and cannot be deleted")


async def _check_meaning_stays(tx: Transaction, client_id: int, current: ItemDefinition, changed: ItemDefinition) -> None:
    """What was entered for one kind of input means nothing for another."""
    if changed.input == current.input:
        return
    uses = await usage.uses(tx, client_id, current.id)
    if uses.profiles or uses.calculations:
        raise Conflict(
            f"Custom item {current.id} has calculations with the inputs of {current.input}, "
            "so its input cannot change; delete them first"
        )


async def _for_change(tx: Transaction, definition_id: int) -> tuple[int, Record]:
    client_id = await repository.client_of(tx, definition_id)
    if client_id is None:
        raise NotFound(f"There is no calculation definition {definition_id}")
    await require_writer(tx, client_id)
    await repository.hold(tx, client_id)
    current = await repository.for_change(tx, client_id, definition_id)
    if current is None:
        raise NotFound(f"There is no calculation definition {definition_id}")
    return client_id, current


@asynccontextmanager
async def _unique_name() -> AsyncIterator[None]:
    """Name the attribute when the database alone takes two names for the same, by its own idea of small letters."""
    try:
        yield
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


def _names(definitions: Mapping[int, ItemDefinition]) -> set[str]:
    return {one.name.strip().lower() for one in definitions.values()}


def _told(lost: Mapping[int, str], others: Mapping[int, ItemDefinition]) -> str:
    return "; ".join(f"{others[one].name} ({one}) refers to it: {why}" for one, why in lost.items())


def _in_use(definition_id: int, user: str) -> str:
    return f"Custom item {definition_id} is used by {user}; delete what uses it first"
