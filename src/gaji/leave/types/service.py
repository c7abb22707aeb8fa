"""Leave type and policy use cases."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.law_loader import current_law
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.leave.events import LeavePoliciesChanged
from gaji.leave.types import repository
from gaji.leave.types.policy_schemas import POLICY, PolicyInput, policy_json, statutory_minimum_rule
from gaji.leave.types.queries import LeaveType, load_leave_types
from gaji.leave.types.schemas import (
    LEAVE_TYPE,
    LEAVE_TYPE_NAME_TAKEN,
    LeaveTypeInput,
    normalise_name,
    unique_name_rule,
)
from gaji.people.take_on.queries import has_leave_of_type
from gaji.periods.locks import lock_drafts_shared
from gaji.periods.queries import find_last_finalised_end


async def list_types(tenant: Tenant, client_id: int) -> dict[int, str]:
    """Return the names of a client's leave types, by id."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.names_by_id(tx, client_id)


async def load_types(tenant: Tenant, client_id: int) -> Sequence[LeaveType]:
    """Return a client's leave types with their policies."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await load_leave_types(tx, client_id)


async def create_type(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[LeaveTypeInput]]:
    """Create a leave type. Until it has a policy, leave is granted by adjustment."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            validated = LEAVE_TYPE.parse_create(body, unique_name_rule(await _load_names(tx, client_id)))
            return await repository.insert(tx, client_id, validated.data.name), validated
    except asyncpg.UniqueViolationError:
        raise invalid("name", LEAVE_TYPE_NAME_TAKEN) from None


async def rename_type(tenant: Tenant, type_id: int, body: Mapping[str, Any]) -> ValidatedInput[LeaveTypeInput]:
    """Rename a leave type. Drafts show the new name."""
    try:
        async with tenant.transaction() as tx:
            row = await _lock_type(tx, type_id)
            client_id = row["client_id"]
            other_names = await _load_names(tx, client_id, exclude_id=type_id)
            validated = LEAVE_TYPE.parse_update(body, {"name": row["name"]}, unique_name_rule(other_names))
            await repository.rename(tx, client_id, type_id, validated.data.name)
            tx.emit(LeavePoliciesChanged(client_id))
            return validated
    except asyncpg.UniqueViolationError:
        raise invalid("name", LEAVE_TYPE_NAME_TAKEN) from None


async def delete_type(tenant: Tenant, type_id: int) -> None:
    """Delete a leave type that the client added and that is not in use."""
    in_use = Conflict(f"Leave type {type_id} has days, adjustments, requests or take-on balances of employees")
    try:
        async with tenant.transaction() as tx:
            row = await _lock_type(tx, type_id)
            client_id = row["client_id"]
            if row["system_type"]:
                raise Conflict(f"Leave type {type_id} is a default leave type and cannot be deleted")
            if await repository.has_requests(tx, client_id, type_id) or await has_leave_of_type(tx, client_id, type_id):
                raise in_use
            await repository.delete(tx, client_id, type_id)
            tx.emit(LeavePoliciesChanged(client_id))
    except asyncpg.ForeignKeyViolationError:
        raise in_use from None


async def read_policy(tenant: Tenant, type_id: int, as_of: date | None) -> dict[str, Any]:
    """Return the policy of a leave type that applies on a day. Default: today."""
    async with tenant.read_only() as tx:
        row = await repository.load_type(tx, type_id)
        if row is None:
            raise NotFound(f"Leave type {type_id} does not exist")
        await require_client(tx, row["client_id"])
        leave_types = {leave_type.id: leave_type for leave_type in await load_leave_types(tx, row["client_id"])}
    return policy_json(leave_types[type_id].policy(as_of or clock.today()))


async def replace_policy(tenant: Tenant, type_id: int, body: Mapping[str, Any]) -> ValidatedInput[PolicyInput]:
    """Set the policy of a leave type with effect from a day. Balances before that day do not change."""
    async with tenant.transaction() as tx:
        row = await _lock_type(tx, type_id)
        client_id = row["client_id"]
        today = clock.today()
        validated = POLICY.parse_create(body, statutory_minimum_rule(current_law().leave, row["system_type"], today))
        since = validated.data.effective_date or today
        await lock_drafts_shared(tx, client_id)
        await _require_open_period(tx, client_id, since)
        await repository.save_policy(tx, client_id, type_id, since, validated.data)
        tx.emit(LeavePoliciesChanged(client_id))
        return validated


async def _require_open_period(tx: Transaction, client_id: int, since: date) -> None:
    last = await find_last_finalised_end(tx, client_id)
    if last is not None and since <= last:
        raise Conflict(
            f"effective_date {since} is not after {last}, the last day of a finalised period; choose a later day"
        )


async def _load_names(tx: Transaction, client_id: int, exclude_id: int = 0) -> set[str]:
    names = await repository.names_by_id(tx, client_id)
    return {normalise_name(name) for type_id, name in names.items() if type_id != exclude_id}


async def _lock_type(tx: Transaction, type_id: int) -> asyncpg.Record:
    row = await repository.load_type(tx, type_id, lock=True)
    if row is None:
        raise NotFound(f"Leave type {type_id} does not exist")
    await require_writer(tx, row["client_id"])
    return row
