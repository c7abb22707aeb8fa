"""What operators do with users: disable, enable, delete and unlock them, and end their sessions and API keys.

Without an account, this concerns the users with an email in all accounts.
"""

from collections.abc import Sequence

import asyncpg

from gaji.core.errors import Conflict
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.identity import home_transfers, repository, service, sign_in_limits
from gaji.identity.repository import AccountUser


async def list_accounts(database: Database, email: str, account_id: int | None = None) -> list[str]:
    """Return the names of the accounts that have a user with an email. Raises NotFound."""
    async with database.maintenance() as connection:
        return [user.account_name for user in await _list_users(connection, email, account_id)]


async def disable_user(database: Database, email: str, account_id: int | None = None) -> None:
    """Keep a user from signing in and from using API keys. Their sessions end. Raises Conflict for an only owner."""
    async with database.maintenance() as connection:
        for user in await _list_users(connection, email, account_id):
            await _require_other_owners(connection, user.user_id, email)
            await repository.set_disabled(connection, user.user_id, disabled=True)
            await repository.delete_acting_sessions(connection, user.user_id)


async def enable_user(database: Database, email: str, account_id: int | None = None) -> None:
    """Let a disabled user sign in again."""
    async with database.maintenance() as connection:
        for user in await _list_users(connection, email, account_id):
            await repository.set_disabled(connection, user.user_id, disabled=False)


async def delete_user(database: Database, vault: Vault, email: str, account_id: int | None = None) -> None:
    """Delete a user with their roles, sessions and API keys. Raises Conflict for an only owner.

    The audit log keeps what they changed. If the person has other accounts, they keep their sign-in.
    """
    async with database.maintenance() as connection:
        for user in await _list_users(connection, email, account_id):
            await _require_other_owners(connection, user.user_id, email)
            await home_transfers.transfer_home(connection, vault, user.user_id)
            await repository.delete_user(connection, user.user_id)


async def unlock_user(database: Database, vault: Vault, email: str) -> None:
    """Forget all failed attempts to sign in as a user."""
    user_id = await service.find_person(database, email)
    async with database.maintenance() as connection:
        account = sign_in_limits.account_subject(vault, email)
        await repository.delete_attempts(connection, [account, sign_in_limits.code_subject(vault, user_id)])


async def end_sessions(database: Database, email: str, account_id: int | None = None) -> int:
    """End all sessions of a user. Return their number."""
    async with database.maintenance() as connection:
        users = await _list_users(connection, email, account_id)
        return sum([await repository.delete_acting_sessions(connection, user.user_id) for user in users])


async def revoke_keys(database: Database, email: str, account_id: int | None = None) -> int:
    """Revoke all API keys of a user. Return their number."""
    async with database.maintenance() as connection:
        users = await _list_users(connection, email, account_id)
        return sum([await repository.revoke_keys(connection, user.user_id) for user in users])


async def _list_users(connection: asyncpg.Connection, email: str, account_id: int | None) -> Sequence[AccountUser]:
    """Return the users with an email, disabled or not. Raises NotFound."""
    users = await repository.list_users(connection, email)
    users = [user for user in users if account_id in (None, user.account_id)]
    if not users:
        raise service.user_not_found(email, account_id)
    return users


async def _require_other_owners(connection: asyncpg.Connection, user_id: int, email: str) -> None:
    for client_id in await repository.list_owned_clients(connection, user_id):
        if await repository.is_only_owner(connection, client_id, user_id):
            raise Conflict(f"{email} is the only owner of client {client_id}; make someone else an owner first")
