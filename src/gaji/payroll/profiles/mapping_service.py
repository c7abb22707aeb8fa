"""Profile mapping use cases: which employees have which profiles."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.errors import NotFound, invalid
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListOrder, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.calculations.profile_calculations import load_profile_types
from gaji.payroll.calculations.scope import require_officer_of_employee
from gaji.payroll.payslips import recalculation
from gaji.payroll.profiles import repository
from gaji.payroll.profiles.repository import ProfileMapping
from gaji.payroll.profiles.rules import PROFILE_DELETED, mapping_rule
from gaji.payroll.profiles.schemas import PROFILE_MAPPING, ProfileMappingInput
from gaji.people.employees.access import lock_employee


async def list_mappings(tenant: Tenant, employee_id: int, filters: Filters = NO_FILTERS) -> list[str]:
    """Return the profile mappings of an employee as JSON."""
    async with tenant.read_only() as tx:
        client_id = await require_officer_of_employee(tx, employee_id)
        mappings = await repository.load_employee_mappings(tx, client_id, employee_id, filters)
        types = await load_profile_types(tx, client_id, [mapping.profile_id for mapping in mappings])
    return [_mapping_json(mapping, types[mapping.profile_id]) for mapping in mappings]


async def list_profile_mappings(
    tenant: Tenant, client_id: int, profile_id: int, page: ListPage | None, order: ListOrder | None = None
) -> tuple[list[ProfileMapping], int]:
    """Return the mappings of a profile, and their total count. They can be ordered by name and number."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.load_profile_mappings(tx, client_id, profile_id, page, order)


async def read_mapping(tenant: Tenant, client_id: int, profile_id: int, mapping_id: int) -> ProfileMapping:
    """Return a mapping of a profile."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        mapping = await repository.load_mapping(tx, mapping_id)
    if mapping is None or (mapping.client_id, mapping.profile_id) != (client_id, profile_id):
        raise _not_found(mapping_id)
    return mapping


async def create_mapping(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ProfileMappingInput]]:
    """Assign a profile to an employee."""
    async with _existing_profile(), tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        mappings = await repository.load_employee_mappings(tx, client_id, employee_id)
        assigned_ids = {mapping.profile_id for mapping in mappings}
        rule = mapping_rule(await _load_calculation_types(tx, client_id), assigned_ids, _supplied_switches(body))
        validated = PROFILE_MAPPING.parse_create(body, rule)
        mapping_id = await repository.insert_mapping(
            tx, client_id, employee_id, validated.data.profile_id, validated.data.calculations
        )
        await recalculation.recalculate_employee(tx, client_id, employee_id)
        return mapping_id, validated


async def assign_profile(tx: Transaction, client_id: int, profile_id: int, employee_ids: Sequence[int]) -> None:
    """Assign a profile to employees who do not have it. The caller recalculates their drafts."""
    await repository.insert_mappings(tx, client_id, profile_id, employee_ids)


async def update_mapping(
    tenant: Tenant, mapping_id: int, body: Mapping[str, Any], *, replace: bool
) -> ValidatedInput[ProfileMappingInput]:
    """Replace a mapping, or update only what the body supplies."""
    async with _existing_profile(), tenant.transaction() as tx:
        mapping, other_profile_ids = await _lock_mapping(tx, mapping_id)
        client_id = mapping.client_id
        current = {} if replace else {"profile_id": mapping.profile_id, "calculations": mapping.calculations}
        rule = mapping_rule(await _load_calculation_types(tx, client_id), other_profile_ids, _supplied_switches(body))
        validated = PROFILE_MAPPING.parse_update(body, current, rule)
        await repository.update_mapping(
            tx, client_id, mapping_id, validated.data.profile_id, validated.data.calculations
        )
        await recalculation.recalculate_employee(tx, client_id, mapping.employee_id)
        return validated


async def delete_mapping(tenant: Tenant, mapping_id: int) -> None:
    """Remove a profile from an employee."""
    async with tenant.transaction() as tx:
        mapping, _ = await _lock_mapping(tx, mapping_id)
        await repository.delete_mapping(tx, mapping.client_id, mapping_id)
        await recalculation.recalculate_employee(tx, mapping.client_id, mapping.employee_id)


async def _lock_mapping(tx: Transaction, mapping_id: int) -> tuple[ProfileMapping, set[int]]:
    """Return a mapping that the caller may change, and the other profiles of its employee, who is locked."""
    visible = await repository.load_mapping(tx, mapping_id)
    if visible is None:
        raise _not_found(mapping_id)
    await lock_employee(tx, visible.employee_id)
    mappings = await repository.load_employee_mappings(tx, visible.client_id, visible.employee_id)
    locked = next((mapping for mapping in mappings if mapping.id == mapping_id), None)
    if locked is None:  # It was deleted before the lock.
        raise _not_found(mapping_id)
    return locked, {mapping.profile_id for mapping in mappings if mapping.id != mapping_id}


async def _load_calculation_types(tx: Transaction, client_id: int) -> dict[int, set[str]]:
    """Load the types of the calculations of each profile of a client."""
    profiles, _ = await repository.load_profiles(tx, client_id, None)
    types = await load_profile_types(tx, client_id, [profile.id for profile in profiles])
    return {profile_id: set(names) for profile_id, names in types.items()}


def _supplied_switches(body: Mapping[str, Any]) -> Mapping[str, Any]:
    switches = PROFILE_MAPPING.unwrap(body).get("calculations")
    return switches if isinstance(switches, Mapping) else {}


def _mapping_json(mapping: ProfileMapping, types: Iterable[str]) -> str:
    """Return a mapping with every calculation of its profile, and whether it applies."""
    return json_text(
        {
            "id": mapping.id,
            "client_id": mapping.client_id,
            "employee_id": mapping.employee_id,
            "profile_id": mapping.profile_id,
            "calculations": {calc_type: mapping.calculations.get(calc_type, True) for calc_type in types},
            "created_at": mapping.created_at,
            "updated_at": mapping.updated_at,
        }
    )


@asynccontextmanager
async def _existing_profile() -> AsyncIterator[None]:
    """Report a profile that was deleted after it was validated."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError:
        raise invalid("profile_id", PROFILE_DELETED) from None


def _not_found(mapping_id: int) -> NotFound:
    return NotFound(f"Profile mapping {mapping_id} does not exist")
