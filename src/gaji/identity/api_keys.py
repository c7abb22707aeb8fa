"""API keys that users create for themselves."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule
from gaji.db.tenancy import Tenant
from gaji.identity import key_format, repository
from gaji.identity.repository import ApiKey
from gaji.identity.schemas import API_KEY
from gaji.identity.service import HINT_CHARACTERS, key_not_found

MAX_KEYS = 100
"""Active keys of one user."""

TOO_MANY_KEYS = ErrorCode("too_many_keys", "you have reached the limit of {maximum} active keys; revoke one first")
NO_ROLE_FOR_CLIENT = ErrorCode("no_role_for_client", "you have no role for client {client_ids}")


async def list_keys(tenant: Tenant) -> list[ApiKey]:
    """Return the caller's keys, newest first."""
    async with tenant.read_only() as tx:
        return await repository.list_keys(tx.connection, tx.caller.user_id)


async def create_key(tenant: Tenant, body: Mapping[str, Any]) -> str:
    """Create a key for the caller. Return its text, which is not stored."""
    async with tenant.transaction() as tx:
        client_ids = await repository.list_member_clients(tx.connection, tx.caller.user_id)
        active_keys = await repository.count_active_keys(tx.connection, tx.caller.user_id)
        new_key = API_KEY.parse_create(body, _client_role_rule(client_ids), _key_limit_rule(active_keys)).data
        key, days = key_format.generate_key(), new_key.expires_in_days
        await repository.insert_key(
            tx.connection,
            tx.caller,
            name=new_key.name,
            key_hash=tx.vault.api_key_hash(key),
            hint=key[-HINT_CHARACTERS:],
            client_ids=new_key.client_ids or (),
            read_only=new_key.read_only,
            hide_identifiers=new_key.hide_identifiers,
            expires_at=datetime.now(UTC) + timedelta(days=days) if days else None,
        )
        return key


async def revoke_key(tenant: Tenant, key_id: int) -> None:
    """Revoke a key of the caller. Raises NotFound."""
    async with tenant.transaction() as tx:
        if not await repository.revoke_key(tx.connection, key_id):
            raise key_not_found(key_id)


def _key_limit_rule(active_keys: int) -> Rule:
    def check(record: Record, errors: Errors) -> None:
        if active_keys >= MAX_KEYS:
            errors.add("name", TOO_MANY_KEYS, maximum=MAX_KEYS)

    return check


def _client_role_rule(member_client_ids: set[int]) -> Rule:
    def check(record: Record, errors: Errors) -> None:
        if unknown := set(record["client_ids"] or ()) - member_client_ids:
            errors.add("client_ids", NO_ROLE_FOR_CLIENT, client_ids=sorted(unknown))

    return check
