"""Account mapping use cases."""

from collections.abc import Mapping
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.validation import Record, to_record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.catalogue import NETT_PAY
from gaji.identity.roles import require_writer
from gaji.payroll.account_mappings import queries, repository
from gaji.payroll.account_mappings.rules import parse_mappings, unwrap_mappings
from gaji.payroll.account_mappings.schemas import EXPORT_SETTINGS
from gaji.payroll.accounting.queries import load_split_ids
from gaji.payroll.calculation_definitions.queries import load_catalogue


async def list_mappings(tenant: Tenant, client_id: int) -> list[str]:
    """Return the account mappings of a client as JSON."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return [json_text(to_record(mapping)) for mapping in await queries.load_mappings(tx, client_id)]


async def replace_mappings(tenant: Tenant, client_id: int, body: object) -> dict[str, str]:
    """Replace all account mappings of a client and return warnings."""
    return await _save_mappings(tenant, client_id, body, replace=True)


async def change_mappings(tenant: Tenant, client_id: int, body: object) -> dict[str, str]:
    """Add, change and remove account mappings of a client and return warnings. The others stay as they are."""
    return await _save_mappings(tenant, client_id, body, replace=False)


async def read_settings(tenant: Tenant, client_id: int) -> Record:
    """Return the settings of a client's accounting exports."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return to_record(await queries.load_settings(tx, client_id))


async def update_settings(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> dict[str, str]:
    """Change the settings of a client's accounting exports and return warnings."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.lock_mappings(tx, client_id)
        current = to_record(await queries.load_settings(tx, client_id))
        validated = EXPORT_SETTINGS.parse_update(body, current)
        await repository.save_settings(tx, client_id, validated.data)
    return validated.warnings


async def _save_mappings(tenant: Tenant, client_id: int, body: object, *, replace: bool) -> dict[str, str]:
    elements = unwrap_mappings(body)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.lock_mappings(tx, client_id)
        current = await queries.load_mappings(tx, client_id)
        # What is in a mapping stays valid: journals of finalised runs keep items and splits that were deleted since.
        items = await _load_items(tx, client_id) | {mapping.item for mapping in current if mapping.item}
        split_ids = await load_split_ids(tx, client_id) | {mapping.split_id for mapping in current if mapping.split_id}
        mappings, warnings = parse_mappings(elements, items, split_ids, allow_blank=not replace)
        keys = {mapping.key for mapping in mappings}
        removed = [mapping for mapping in mappings if mapping.is_blank]
        removed += [mapping for mapping in current if replace and mapping.key not in keys]
        await repository.delete_mappings(tx, client_id, removed)
        await repository.save_mappings(tx, client_id, [mapping for mapping in mappings if not mapping.is_blank])
    return warnings


async def _load_items(tx: Transaction, client_id: int) -> set[str]:
    return {*(await load_catalogue(tx, client_id)).lines, NETT_PAY}
