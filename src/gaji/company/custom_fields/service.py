"""Custom employee field use cases."""

from collections.abc import Mapping
from typing import Any

import asyncpg
from msgspec.structs import replace

from gaji.company.clients.service import require_client
from gaji.company.custom_fields import repository
from gaji.company.custom_fields.schemas import CUSTOM_FIELD, CustomFieldInput, FieldOption, existing_options_rule
from gaji.core.error_codes import NAME_TAKEN
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.validation import ValidatedInput, to_record, unique_name_rule
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer


async def list_fields(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """List the custom fields of a client as JSON, and their total number."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.list_elements(tx, client_id, page, filters)


async def create_field(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[CustomFieldInput]]:
    """Create a custom field in a client."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            names = await repository.load_lower_names(tx, client_id)
            validated = CUSTOM_FIELD.parse_create(body, unique_name_rule(names), existing_options_rule(frozenset()))
            field = await _with_option_ids(tx, validated.data)
            return await repository.insert(tx, client_id, field), validated
    except asyncpg.UniqueViolationError:
        raise invalid("name", NAME_TAKEN, name=validated.data.name) from None


async def update_field(tenant: Tenant, field_id: int, body: Mapping[str, Any]) -> ValidatedInput[CustomFieldInput]:
    """Update the attributes of a custom field that the body supplies. Values of employees stay valid."""
    try:
        async with tenant.transaction() as tx:
            client_id, current = await _lock(tx, field_id)
            names = await repository.load_lower_names(tx, client_id, exclude_id=field_id)
            option_ids = {option.id for option in current.options or () if option.id is not None}
            rules = unique_name_rule(names), existing_options_rule(option_ids)
            validated = CUSTOM_FIELD.parse_update(body, to_record(current), *rules)
            field = await _with_option_ids(tx, validated.data)
            await _require_values_stay_valid(tx, client_id, field_id, current, field)
            await repository.update(tx, client_id, field_id, field)
            return validated
    except asyncpg.UniqueViolationError:
        raise invalid("name", NAME_TAKEN, name=validated.data.name) from None


async def delete_field(tenant: Tenant, field_id: int) -> None:
    """Delete a custom field that no employee has a value in."""
    async with tenant.transaction() as tx:
        client_id, _ = await _lock(tx, field_id)
        if await repository.load_used_values(tx, client_id, field_id):
            raise Conflict(f"Employees have values in custom field {field_id}; clear them first")
        await repository.delete(tx, client_id, field_id)


async def _with_option_ids(tx: Transaction, field: CustomFieldInput) -> CustomFieldInput:
    """Return the field with IDs for its new options."""
    if field.options is None:
        return field
    count = sum(option.id is None for option in field.options)
    new_ids = iter(await repository.next_option_ids(tx, count))
    options = [
        option if option.id is not None else FieldOption(id=next(new_ids), name=option.name) for option in field.options
    ]
    return replace(field, options=options)


async def _require_values_stay_valid(
    tx: Transaction, client_id: int, field_id: int, current: CustomFieldInput, changed: CustomFieldInput
) -> None:
    remaining_ids = {option.id for option in changed.options or ()}
    removed = [option for option in current.options or () if option.id not in remaining_ids]
    if changed.type == current.type and not removed:
        return
    used_values = await repository.load_used_values(tx, client_id, field_id)
    if changed.type != current.type and used_values:
        raise Conflict(f"Employees have values in custom field {field_id}, so its type cannot change")
    if used := [f"{option.name} ({option.id})" for option in removed if str(option.id) in used_values]:
        raise Conflict(f"Employees have the option {', '.join(used)}; change their value before you remove it")


async def _lock(tx: Transaction, field_id: int) -> tuple[int, CustomFieldInput]:
    """Lock a custom field and return its client and attributes, or raise NotFound or Forbidden."""
    locked = await repository.lock_field(tx, field_id)
    if locked is None:
        raise NotFound(f"Custom field {field_id} does not exist")
    client_id, field = locked
    await require_writer(tx, client_id)
    return client_id, field
