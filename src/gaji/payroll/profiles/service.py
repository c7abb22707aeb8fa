"""What can be asked about profiles.

Only a change lets drafts be calculated again: no payslip goes by a profile that nobody has yet, or any more.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.errors import INVALID, Conflict, Errors, NotFound, invalid
from gaji.core.validation import Record, Rule, ValidatedInput
from gaji.db.json_lists import Page, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.service import require_writer
from gaji.payroll.calculations.inheritance import InputValues
from gaji.payroll.profiles.calculations import Reader, reader, save_profile_calculations, load_profile_calculations
from gaji.payroll.payslips import recalculation
from gaji.payroll.profiles import repository
from gaji.payroll.profiles.rules import NAME_TAKEN, PROFILE
from gaji.payroll.profiles.repository import Profile


async def list_profiles(tenant: Tenant, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The profiles of a client as JSON, and how many there are in all."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        profiles, total = await repository.profiles(tx, client_id, page)
        templates = await load_profile_calculations(tx, client_id, [one.id for one in profiles])
    return [_element(one, templates.get(one.id, {})) for one in profiles], total


async def create_profile(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a profile to a client."""
    async with _unique_name(), tenant.transaction() as tx:
        await require_writer(tx, client_id)
        templates = await reader(tx, client_id)
        names = await repository.names(tx, client_id)
        reading = PROFILE.parse_create(body, _among(names), _possible(templates))
        profile_id = await repository.insert(tx, client_id, reading.record["name"])
        await save_profile_calculations(tx, client_id, profile_id, templates.catalogue, reading.record["calculations"])
        return profile_id, reading


async def update_profile(tenant: Tenant, profile_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of a profile."""
    async with _unique_name(), tenant.transaction() as tx:
        current, templates = await _for_change(tx, profile_id)
        client_id = current.client_id
        names = await repository.names(tx, client_id, but=profile_id)
        known = (await load_profile_calculations(tx, client_id, [profile_id])).get(profile_id, {})
        record = {"name": current.name, "calculations": known}
        reading = PROFILE.parse_update(body, record, _among(names), _possible(templates))
        await repository.update(tx, client_id, profile_id, reading.record["name"])
        await save_profile_calculations(tx, client_id, profile_id, templates.catalogue, reading.record["calculations"])
        await recalculation.client_changed(tx, client_id)
        return reading


async def delete_profile(tenant: Tenant, profile_id: int) -> None:
    """Remove a profile that no employee has."""
    try:
        async with tenant.transaction() as tx:
            current, _ = await _for_change(tx, profile_id)
            await repository.delete(tx, current.client_id, profile_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Employees have profile {profile_id}; take it from them first") from None


async def _for_change(tx: Transaction, profile_id: int) -> tuple[Profile, Reader]:
    """A profile that the caller may change; nobody else changes it until the transaction ends."""
    seen = await repository.profile(tx, profile_id)
    if seen is None:
        raise _missing(profile_id)
    await require_writer(tx, seen.client_id)
    templates = await reader(tx, seen.client_id)
    current = await repository.profile(tx, profile_id)  # unless it was deleted before it was locked
    if current is None:
        raise _missing(profile_id)
    return current, templates


def _among(other_names: set[str]) -> Rule:
    """That no other profile of the client has this name."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and record["name"].strip().lower() in other_names:
            errors.setdefault("name", NAME_TAKEN)

    return check


def _possible(templates: Reader) -> Rule:
    """That the calculations can be entered; gives them as they are kept."""

    def check(record: Record, errors: Errors) -> None:
        record["calculations"] = templates.read(record["calculations"] or {}, "calculations", errors)

    return check


def _element(one: Profile, calculations: Mapping[str, InputValues]) -> str:
    shown = asdict(one)
    times = {name: shown.pop(name) for name in ("created_at", "updated_at")}
    return json_text({**shown, "calculations": calculations, **times})


@asynccontextmanager
async def _unique_name() -> AsyncIterator[None]:
    """Name the attribute when the database alone takes two names for the same, by its own idea of small letters."""
    try:
        yield
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


def _missing(profile_id: int) -> NotFound:
    return NotFound(f"There is no profile {profile_id}")
