"""What operators do with users: disable, enable, delete and unlock them, and end their sessions and API keys."""

import asyncpg

from gaji.core.errors import Conflict, NotFound
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.identity import repository, sign_in_limits


async def disable_user(database: Database, email: str) -> None:
    """Keep a user from signing in and from using API keys. Their sessions end. Raises Conflict for an only owner."""
    async with database.maintenance() as connection:
        user_id = await _find_user_id(connection, email)
        await _require_other_owners(connection, user_id, email)
        await repository.set_disabled(connection, user_id, disabled=True)
        await repository.delete_sessions(connection, user_id)


async def enable_user(database: Database, email: str) -> None:
    """Let a disabled user sign in again."""
    async with database.maintenance() as connection:
        await repository.set_disabled(connection, await _find_user_id(connection, email), disabled=False)


async def delete_user(database: Database, email: str) -> None:
    """Delete a user with their roles, sessions and API keys. Raises Conflict for an only owner.

    The audit log keeps what they changed.
    """
    async with database.maintenance() as connection:
        user_id = await _find_user_id(connection, email)
        await _require_other_owners(connection, user_id, email)
        await repository.delete_user(connection, user_id)


async def unlock_user(database: Database, vault: Vault, email: str) -> None:
    """Forget all failed attempts to sign in as a user."""
    async with database.maintenance() as connection:
        user_id = await _find_user_id(connection, email)
        account = sign_in_limits.account_subject(vault, email)
        await repository.delete_attempts(connection, [account, sign_in_limits.code_subject(vault, user_id)])


async def end_sessions(database: Database, email: str) -> int:
    """End all sessions of a user. Return their number."""
    async with database.maintenance() as connection:
        return await repository.delete_sessions(connection, await _find_user_id(connection, email))


async def revoke_keys(database: Database, email: str) -> int:
    """Revoke all API keys of a user. Return their number."""
    async with database.maintenance() as connection:
        return await repository.revoke_keys(connection, await _find_user_id(connection, email))


async def _find_user_id(connection: asyncpg.Connection, email: str) -> int:
    user_id = await repository.find_user_id(connection, email)
    if user_id is None:
        raise NotFound(f"No user has the email {email}")
    return user_id


async def _require_other_owners(connection: asyncpg.Connection, user_id: int, email: str) -> None:
    for client_id in await repository.list_owned_clients(connection, user_id):
        if await repository.is_only_owner(connection, client_id, user_id):
            raise Conflict(f"{email} is the only owner of client {client_id}; make someone else an owner first")
