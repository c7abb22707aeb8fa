"""Use cases for custom items, and for the lists of calculation types and payslip items.

Only an update recalculates drafts: no payslip can use an item that is new, or one that may be deleted.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import msgspec

from gaji.company.clients.service import require_client
from gaji.core.error_codes import NAME_TAKEN
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.validation import Record, ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import ItemDefinition, build_catalogue
from gaji.identity.roles import require_writer
from gaji.payroll.accounting.queries import load_ledger
from gaji.payroll.calculation_definitions import repository
from gaji.payroll.calculation_definitions.consistency import broken_references, consistency_rule, referring_items
from gaji.payroll.calculation_definitions.events import TaxTreatmentChanged
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculation_definitions.rules import unique_name_rule, without_default_treatment
from gaji.payroll.calculation_definitions.schemas import CALCULATION_DEFINITION, CalculationDefinitionInput
from gaji.payroll.calculation_definitions.serializers import items_json, types_json
from gaji.payroll.calculations.item_usage import ItemUsage, delete_ended, load_item_usage
from gaji.payroll.payslips import queries as payslips
from gaji.payroll.payslips import recalculation


async def list_definitions(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """Return the custom items of a client as JSON, and their total count."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.load_elements(tx, client_id, page, filters)


async def list_types(tenant: Tenant, client_id: int) -> list[Record]:
    """Return every calculation type of a client with its inputs and its treatment."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return types_json(await load_catalogue(tx, client_id))


async def list_items(tenant: Tenant, client_id: int) -> list[Record]:
    """Return every possible payslip item of a client."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return items_json(await load_ledger(tx, client_id, await load_catalogue(tx, client_id)))


async def create_definition(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[CalculationDefinitionInput]]:
    """Add a custom item to a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.lock_client_definitions(tx, client_id)
        others = await repository.load_definitions(tx, client_id)
        rules = unique_name_rule(_lower_names(others)), consistency_rule(others)
        validated = CALCULATION_DEFINITION.parse_create(body, *rules)
        async with _unique_name(validated.data.name):
            return await repository.insert(tx, client_id, validated.data), validated


async def update_definition(
    tenant: Tenant, definition_id: int, body: Mapping[str, Any]
) -> ValidatedInput[CalculationDefinitionInput]:
    """Update a custom item, unless that would invalidate calculations or other custom items."""
    async with tenant.transaction() as tx:
        client_id, attributes = await _lock_definition(tx, definition_id)
        definitions = await repository.load_definitions(tx, client_id)
        current = definitions.pop(definition_id)
        rules = unique_name_rule(_lower_names(definitions)), consistency_rule(definitions, definition_id)
        stored = without_default_treatment(msgspec.structs.asdict(attributes))
        validated = CALCULATION_DEFINITION.parse_update(body, stored, *rules)
        changed = validated.data.to_definition(definition_id)
        await _require_same_input(tx, client_id, current, changed)
        _require_intact_references(definitions, changed)
        async with _unique_name(validated.data.name):
            await repository.update(tx, client_id, definition_id, validated.data)
        await recalculation.recalculate_client(tx, client_id)
        if _tax_treatment(changed) != _tax_treatment(current):
            tx.emit(TaxTreatmentChanged(client_id))
        return validated


async def delete_definition(tenant: Tenant, definition_id: int) -> None:
    """Delete an unused custom item."""
    try:
        async with tenant.transaction() as tx:
            client_id, _ = await _lock_definition(tx, definition_id)
            definitions = await repository.load_definitions(tx, client_id)
            if referring := referring_items(build_catalogue(list(definitions.values())), definition_id):
                names = ", ".join(f"{item.name} ({item.id})" for item in referring)
                raise Conflict(f"Custom item {definition_id} is referred to by {names}; change these first")
            await delete_ended(tx, client_id, await _require_unused(tx, client_id, definition_id))
            await repository.delete(tx, client_id, definition_id)
    except asyncpg.ForeignKeyViolationError:
        raise _in_use(definition_id, "a calculation") from None


async def _require_unused(tx: Transaction, client_id: int, definition_id: int) -> ItemUsage:
    usage = await load_item_usage(tx, client_id, definition_id)
    if usage.profile_ids:
        raise _in_use(definition_id, f"the profile {', '.join(map(str, usage.profile_ids))}")
    if usage.calculation_count:
        noun = "calculation" if usage.calculation_count == 1 else "calculations"
        raise _in_use(definition_id, f"{usage.calculation_count} {noun}")
    if await payslips.is_item_used(tx, client_id, str(definition_id)):
        raise Conflict(f"Custom item {definition_id} appears on payslips and cannot be deleted")
    return usage


async def _require_same_input(
    tx: Transaction, client_id: int, current: ItemDefinition, changed: ItemDefinition
) -> None:
    """Reject a change of `input` while calculations have values for the current one."""
    if changed.input == current.input:
        return
    usage = await load_item_usage(tx, client_id, current.id)
    if usage.has_calculations:
        raise Conflict(
            f"Custom item {current.id} has calculations with the inputs of {current.input}, "
            "so its input cannot change; delete them first"
        )


def _require_intact_references(others: Mapping[int, ItemDefinition], changed: ItemDefinition) -> None:
    """Reject a change that makes the formula of another item invalid."""
    if broken := broken_references(others, changed):
        reasons = (f"{others[item_id].name} ({item_id}) refers to it: {reason}" for item_id, reason in broken.items())
        raise Conflict(f"Custom item {changed.id} cannot be changed in this way. {'; '.join(reasons)}")


async def _lock_definition(tx: Transaction, definition_id: int) -> tuple[int, CalculationDefinitionInput]:
    """Return the client and the attributes of a definition that the caller may change, locked."""
    client_id = await repository.load_client_id(tx, definition_id)
    if client_id is None:
        raise _not_found(definition_id)
    await require_writer(tx, client_id)
    await repository.lock_client_definitions(tx, client_id)
    attributes = await repository.lock_and_load_attributes(tx, client_id, definition_id)
    if attributes is None:
        raise _not_found(definition_id)
    return client_id, attributes


@asynccontextmanager
async def _unique_name(name: str) -> AsyncIterator[None]:
    """Report a name that only the database considers taken, because it folds case differently."""
    try:
        yield
    except asyncpg.UniqueViolationError:
        raise invalid("name", NAME_TAKEN, name=name.strip()) from None


def _tax_treatment(definition: ItemDefinition) -> tuple[object, ...]:
    """Return what determines the boxes of the item's amounts on tax forms."""
    return definition.kind, definition.treatment.ir8a, definition.treatment.cpf


def _lower_names(definitions: Mapping[int, ItemDefinition]) -> set[str]:
    return {definition.name.strip().lower() for definition in definitions.values()}


def _not_found(definition_id: int) -> NotFound:
    return NotFound(f"Custom item {definition_id} does not exist")


def _in_use(definition_id: int, user: str) -> Conflict:
    return Conflict(f"Custom item {definition_id} is used by {user}; remove it there first")
