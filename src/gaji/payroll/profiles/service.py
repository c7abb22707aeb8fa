"""Profile use cases.

Only an update recalculates drafts: no payslip can use a profile that is new, or one that may be deleted.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.error_codes import NAME_TAKEN
from gaji.core.errors import Conflict, Errors, NotFound, invalid
from gaji.core.validation import Record, Rule, ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.calculations.effective_dates import date_warnings, parse_valid_from
from gaji.payroll.calculations.inheritance import InputValues, inputs_json
from gaji.payroll.calculations.profile_calculations import (
    ProfileCalculationParser,
    ProfileChange,
    load_profile_calculations,
    load_profile_change,
    lock_and_load_parser,
    save_profile_change,
)
from gaji.payroll.payslips import recalculation
from gaji.payroll.profiles import repository
from gaji.payroll.profiles.repository import Profile
from gaji.payroll.profiles.rules import unique_name_rule
from gaji.payroll.profiles.schemas import PROFILE, ProfileInput


async def list_profiles(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[str], int]:
    """Return the profiles of a client as JSON, and their total count."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        profiles, total = await repository.load_profiles(tx, client_id, page, filters)
        calculations = await load_profile_calculations(tx, client_id, [profile.id for profile in profiles])
    return [_profile_json(profile, calculations.get(profile.id, {})) for profile in profiles], total


async def create_profile(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ProfileInput]]:
    """Add a profile to a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        parser = await lock_and_load_parser(tx, client_id)
        names = await repository.load_lower_names(tx, client_id)
        validated = PROFILE.parse_create(body, unique_name_rule(names), _calculations_rule(parser))
        async with _unique_name(validated.data.name):
            profile_id = await repository.insert(tx, client_id, validated.data.name)
        change = await load_profile_change(tx, client_id, profile_id, parser, validated.data.valid_from)
        sent = PROFILE.unwrap(body).get("calculations") or {}
        await save_profile_change(tx, change, sent, validated.data.calculations)
        return profile_id, validated


async def update_profile(tenant: Tenant, profile_id: int, body: Mapping[str, Any]) -> ValidatedInput[ProfileInput]:
    """Update a profile."""
    async with tenant.transaction() as tx:
        profile, parser = await _lock_profile(tx, profile_id)
        client_id = profile.client_id
        names = await repository.load_lower_names(tx, client_id, exclude_id=profile_id)
        attributes = PROFILE.unwrap(body)
        change = await load_profile_change(tx, client_id, profile_id, parser, parse_valid_from(attributes))
        current = {"name": profile.name, "calculations": change.current_inputs}
        rules = (unique_name_rule(names), _limit_rule(change, attributes), _calculations_rule(parser))
        validated = PROFILE.parse_update(body, current, *rules)
        async with _unique_name(validated.data.name):
            await repository.update(tx, client_id, profile_id, validated.data.name)
        sent = attributes.get("calculations", {})
        cleared = dict.fromkeys(change.current_inputs) if sent is None else sent
        await save_profile_change(tx, change, cleared, validated.data.calculations)
        validated.warnings.update(date_warnings(change.owner, change.open_period, validated.data.valid_from))
        await recalculation.recalculate_client(tx, client_id)
        return validated


async def delete_profile(tenant: Tenant, profile_id: int) -> None:
    """Delete a profile that no employee has."""
    try:
        async with tenant.transaction() as tx:
            profile, _ = await _lock_profile(tx, profile_id)
            await repository.delete(tx, profile.client_id, profile_id)
    except asyncpg.ForeignKeyViolationError:
        raise Conflict(f"Profile {profile_id} is assigned to employees; remove it from them first") from None


async def _lock_profile(tx: Transaction, profile_id: int) -> tuple[Profile, ProfileCalculationParser]:
    """Load a profile that the caller may change, and lock it until the transaction ends."""
    visible = await repository.load_profile(tx, profile_id)
    if visible is None:
        raise _not_found(profile_id)
    await require_writer(tx, visible.client_id)
    parser = await lock_and_load_parser(tx, visible.client_id)
    locked = await repository.load_profile(tx, profile_id)  # It may have been deleted before the lock.
    if locked is None:
        raise _not_found(profile_id)
    return locked, parser


def _limit_rule(change: ProfileChange, attributes: Mapping[str, Any]) -> Rule:
    """Return the rule that the calculations that were sent have room for another dated change."""

    def check(_: Record, errors: Errors) -> None:
        sent = attributes.get("calculations")
        if isinstance(sent, Mapping):
            change.check_limit(sent, errors)

    return check


def _calculations_rule(parser: ProfileCalculationParser) -> Rule:
    """Return the rule that the calculations are valid. It replaces them with the parsed ones."""

    def check(record: Record, errors: Errors) -> None:
        record["calculations"] = parser.parse(record["calculations"] or {}, "calculations", errors)

    return check


def _profile_json(profile: Profile, calculations: Mapping[str, InputValues]) -> str:
    return json_text(
        {
            "id": profile.id,
            "client_id": profile.client_id,
            "name": profile.name,
            "calculations": {calc_type: inputs_json(inputs) for calc_type, inputs in calculations.items()},
            "created_at": profile.created_at,
            "updated_at": profile.updated_at,
        }
    )


@asynccontextmanager
async def _unique_name(name: str) -> AsyncIterator[None]:
    """Report a name that only the database considers taken, because it folds case differently."""
    try:
        yield
    except asyncpg.UniqueViolationError:
        raise invalid("name", NAME_TAKEN, name=name.strip()) from None


def _not_found(profile_id: int) -> NotFound:
    return NotFound(f"Profile {profile_id} does not exist")
