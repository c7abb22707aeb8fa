"""What can be asked about leave types and their policies."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import INVALID, Conflict, NotFound, invalid
from gaji.core.law_loader import law
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.service import require_writer
from gaji.leave.types import repository
from gaji.leave.types.queries import types_of
from gaji.leave.types.policy_rules import POLICY, columns, not_less_than, policy_shown
from gaji.leave.types.rules import LEAVE_TYPE, NAME_TAKEN, plain, unlike
from gaji.leave.events import LeavePoliciesChanged
from gaji.periods.locks import lock_drafts_shared
from gaji.periods.queries import last_finalised_end
from gaji.people.take_on.facts import has_leave_of_type


async def list_types(tenant: Tenant, client_id: int) -> dict[int, str]:
    """The types of a client: their names, by id."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        return await repository.names_by_id(tx, client_id)


async def create_type(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add a type to a client; until it has a policy it is granted by adjustment."""
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            reading = LEAVE_TYPE.parse_create(body, unlike(await _names(tx, client_id)))
            return await repository.insert(tx, client_id, reading.record["name"]), reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


async def rename_type(tenant: Tenant, type_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Give a type another name; payslips show it under that name from then on."""
    try:
        async with tenant.transaction() as tx:
            found = await _for_change(tx, type_id)
            client_id, current = found["client_id"], {"name": found["name"]}
            reading = LEAVE_TYPE.parse_update(body, current, unlike(await _names(tx, client_id, but=type_id)))
            await repository.rename(tx, client_id, type_id, reading.record["name"])
            tx.emit(LeavePoliciesChanged(client_id))
            return reading
    except asyncpg.UniqueViolationError:
        raise invalid("name", INVALID, reason=NAME_TAKEN) from None


async def delete_type(tenant: Tenant, type_id: int) -> None:
    """Remove a type that the client added and nobody uses."""
    in_use = Conflict(f"Leave type {type_id} has days, adjustments, requests or take-on balances of employees")
    try:
        async with tenant.transaction() as tx:
            found = await _for_change(tx, type_id)
            client_id = found["client_id"]
            if found["system_type"]:
                raise Conflict(f"Leave type {type_id} came with the client and cannot be deleted")
            if await repository.is_asked_for(tx, client_id, type_id) or await has_leave_of_type(tx, client_id, type_id):
                raise in_use
            await repository.delete(tx, client_id, type_id)
            tx.emit(LeavePoliciesChanged(client_id))
    except asyncpg.ForeignKeyViolationError:
        raise in_use from None


async def read_policy(tenant: Tenant, type_id: int, on: date | None) -> dict[str, Any]:
    """The policy of a type that holds on a day, or today."""
    async with tenant.reading() as tx:
        found = await repository.client_of(tx, type_id)
        if found is None:
            raise NotFound(f"There is no leave type {type_id}")
        await require_client(tx, found["client_id"])
        [one] = [one for one in await types_of(tx, found["client_id"]) if one.id == type_id]
    return policy_shown(one.policy(on or clock.today()))


async def replace_policy(tenant: Tenant, type_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Give a type a policy from a day on; balances before that day stay what they are."""
    async with tenant.transaction() as tx:
        found = await _for_change(tx, type_id)
        client_id = found["client_id"]
        today = clock.today()
        reading = POLICY.parse_create(body, not_less_than(law().leave, found["system_type"], today))
        since = reading.record["effective_date"] or today
        await lock_drafts_shared(tx, client_id)
        await _check_open(tx, client_id, since)
        await repository.save_policy(tx, client_id, type_id, since, columns(reading.record))
        tx.emit(LeavePoliciesChanged(client_id))
        return reading


async def _check_open(tx: Transaction, client_id: int, since: date) -> None:
    last = await last_finalised_end(tx, client_id)
    if last is not None and since <= last:
        raise Conflict(
            f"effective_date {since} is not after {last}, the last day of a finalised period; choose a later day"
        )


async def _names(tx: Transaction, client_id: int, but: int = 0) -> set[str]:
    return {plain(name) for type_id, name in (await repository.names_by_id(tx, client_id)).items() if type_id != but}


async def _for_change(tx: Transaction, type_id: int) -> asyncpg.Record:
    found = await repository.client_of(tx, type_id, lock=True)
    if found is None:
        raise NotFound(f"There is no leave type {type_id}")
    await require_writer(tx, found["client_id"])
    return found
