"""What can be asked about the profiles of an employee."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, NotFound, invalid
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.calculations.inheritance import InputValues
from gaji.payroll.calculations.scope import require_officer
from gaji.payroll.profiles.calculations import load_profile_calculations
from gaji.payroll.payslips import recalculation
from gaji.payroll.profiles import repository
from gaji.payroll.profiles.rules import PROFILE_MAPPING, possible
from gaji.payroll.profiles.repository import ProfileMapping
from gaji.people.employees.identity import writable_employee


async def list_mappings(tenant: Tenant, employee_id: int) -> list[str]:
    """The profiles of an employee as JSON."""
    async with tenant.reading() as tx:
        client_id = await require_officer(tx, employee_id)
        mappings = await repository.mappings(tx, client_id, employee_id)
        templates = await load_profile_calculations(tx, client_id, [one.profile_id for one in mappings])
    return [_element(one, templates.get(one.profile_id, {})) for one in mappings]


async def list_profile_mappings(
    tenant: Tenant, client_id: int, profile_id: int, page: Page | None
) -> tuple[list[ProfileMapping], int]:
    """Which employees have a profile of a client, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.mappings_of_profile(tx, client_id, profile_id, page)


async def read_mapping(tenant: Tenant, client_id: int, profile_id: int, mapping_id: int) -> ProfileMapping:
    """One of them; raises NotFound when it is of another profile."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found = await repository.mapping(tx, mapping_id)
    if found is None or (found.client_id, found.profile_id) != (client_id, profile_id):
        raise _missing(mapping_id)
    return found


async def create_mapping(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Give an employee a profile."""
    async with _still_there(), tenant.transaction() as tx:
        client_id = await writable_employee(tx, employee_id)
        taken = {one.profile_id for one in await repository.mappings(tx, client_id, employee_id)}
        reading = PROFILE_MAPPING.parse_create(body, possible(await _profiles(tx, client_id), taken, _switched(body)))
        profile_id, calculations = reading.record["profile_id"], reading.record["calculations"]
        mapping_id = await repository.insert_mapping(tx, client_id, employee_id, profile_id, calculations)
        await recalculation.employee_changed(tx, client_id, employee_id)
        return mapping_id, reading


async def update_mapping(tenant: Tenant, mapping_id: int, body: Mapping[str, Any], *, replace: bool) -> ValidatedInput:
    """Change a mapping: the whole of it, or only what the body names."""
    async with _still_there(), tenant.transaction() as tx:
        current, taken = await _for_change(tx, mapping_id)
        client_id = current.client_id
        known = {} if replace else {"profile_id": current.profile_id, "calculations": current.calculations}
        check = possible(await _profiles(tx, client_id), taken, _switched(body))
        reading = PROFILE_MAPPING.parse_update(body, known, check)
        profile_id, calculations = reading.record["profile_id"], reading.record["calculations"]
        await repository.update_mapping(tx, client_id, mapping_id, profile_id, calculations)
        await recalculation.employee_changed(tx, client_id, current.employee_id)
        return reading


async def delete_mapping(tenant: Tenant, mapping_id: int) -> None:
    """Take a profile from an employee."""
    async with tenant.transaction() as tx:
        current, _ = await _for_change(tx, mapping_id)
        await repository.delete_mapping(tx, current.client_id, mapping_id)
        await recalculation.employee_changed(tx, current.client_id, current.employee_id)


async def _for_change(tx: Transaction, mapping_id: int) -> tuple[ProfileMapping, set[int]]:
    """A mapping that the caller may change, and the other profiles of its employee."""
    seen = await repository.mapping(tx, mapping_id)
    if seen is None:
        raise _missing(mapping_id)
    await writable_employee(tx, seen.employee_id)
    all_of_them = await repository.mappings(tx, seen.client_id, seen.employee_id)
    current = [one for one in all_of_them if one.id == mapping_id]
    if not current:
        raise _missing(mapping_id)  # it was deleted before it was locked
    return current[0], {one.profile_id for one in all_of_them if one.id != mapping_id}


async def _profiles(tx: Transaction, client_id: int) -> dict[int, set[str]]:
    """The calculations of each profile of a client."""
    profiles, _ = await repository.profiles(tx, client_id, None)
    templates = await load_profile_calculations(tx, client_id, [one.id for one in profiles])
    return {one.id: set(templates.get(one.id, {})) for one in profiles}


def _switched(body: Mapping[str, Any]) -> Mapping[str, Any]:
    given = PROFILE_MAPPING.unwrap(body).get("calculations")
    return given if isinstance(given, Mapping) else {}


def _element(one: ProfileMapping, templates: Mapping[str, InputValues]) -> str:
    """A mapping with every calculation of its profile, and whether it applies."""
    return json_text(
        {
            "id": one.id,
            "client_id": one.client_id,
            "employee_id": one.employee_id,
            "profile_id": one.profile_id,
            "calculations": {name: one.calculations.get(name, True) for name in templates},
            "created_at": one.created_at,
            "updated_at": one.updated_at,
        }
    )


@asynccontextmanager
async def _still_there() -> AsyncIterator[None]:
    """Name the attribute when someone else deleted the profile in the same moment."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError:
        raise invalid("profile_id", INVALID, reason="has just been deleted from this client") from None


def _missing(mapping_id: int) -> NotFound:
    return NotFound(f"There is no profile mapping {mapping_id}")
