"""What can be asked about custom employee fields."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.company.custom_fields import repository
from gaji.company.custom_fields.schemas import CUSTOM_FIELD, NAME_TAKEN, CustomField, among
from gaji.core.errors import INVALID, Conflict, NotFound, invalid
from gaji.core.validation import Record, ValidatedInput
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.service import require_writer


async def list_fields(tenant: Tenant, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The custom fields of a client as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.elements(tx, client_id, page)


async def create_field(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a field to a client."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            names = await repository.names(tx, client_id)
            reading = CUSTOM_FIELD.parse_create(body, among(names, known_options=frozenset()))
            await _number_options(tx, reading.record)
            return await repository.insert(tx, client_id, reading.record), reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


async def update_field(tenant: Tenant, field_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a field; not so that values of employees lose their meaning."""
    try:
        async with tenant.transaction() as tx:
            client_id, current = await _for_change(tx, field_id)
            names = await repository.names(tx, client_id, but=field_id)
            known = {option["id"] for option in current["options"]}
            reading = CUSTOM_FIELD.parse_update(body, current, among(names, known))
            await _number_options(tx, reading.record)
            await _check_values_stay(tx, client_id, field_id, current, reading.record)
            await repository.update(tx, client_id, field_id, reading.record)
            return reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


async def delete_field(tenant: Tenant, field_id: int) -> None:
    """Remove a field that no employee has a value in."""
    async with tenant.transaction() as tx:
        client_id, _ = await _for_change(tx, field_id)
        if await repository.used_values(tx, client_id, field_id):
            raise Conflict(f"Custom field {field_id} has values of employees; clear them first")
        await repository.delete(tx, client_id, field_id)


async def lock_custom_fields(tx: Transaction, client_id: int) -> dict[int, CustomField]:
    """The definitions of a client's fields, by their ids."""
    return await repository.fields(tx, client_id)


async def _number_options(tx: Transaction, record: Record) -> None:
    """Keep the ids of options that exist, and give new ones theirs."""
    new = [option for option in record["options"] or () if option["id"] is None]
    for option, option_id in zip(new, await repository.new_option_ids(tx, len(new)), strict=True):
        option["id"] = option_id


async def _check_values_stay(tx: Transaction, client_id: int, field_id: int, current: Record, changed: Record) -> None:
    kept = {option["id"] for option in changed["options"] or []}
    dropped = [option for option in current["options"] if option["id"] not in kept]
    if changed["type"] == current["type"] and not dropped:
        return
    used = await repository.used_values(tx, client_id, field_id)
    if changed["type"] != current["type"] and used:
        raise Conflict(f"Custom field {field_id} has values of employees, so its type cannot change")
    if lost := [f"{option['name']} ({option['id']})" for option in dropped if str(option["id"]) in used]:
        raise Conflict(f"Employees have the option {', '.join(lost)}; give them another one before it is removed")


async def _for_change(tx: Transaction, field_id: int) -> tuple[int, Record]:
    found = await repository.for_change(tx, field_id)
    if found is None:
        raise NotFound(f"There is no custom field {field_id}")
    await require_writer(tx, found[0])
    return found
