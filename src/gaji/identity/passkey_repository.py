"""Passkeys, their challenges, and sessions whose user has confirmed. All access is through database functions."""

from collections.abc import Sequence
from datetime import timedelta

import asyncpg


async def keep_challenge(
    connection: asyncpg.Connection, holder_hash: bytes, purpose: str, challenge: bytes, lifetime: timedelta
) -> None:
    """Store a challenge in place of an earlier one of the same holder and purpose."""
    await connection.execute("SELECT keep_challenge($1, $2, $3, $4)", holder_hash, purpose, challenge, lifetime)


async def take_challenge(connection: asyncpg.Connection, holder_hash: bytes, purpose: str) -> bytes | None:
    """Return a challenge and delete it. None if there is none or it has expired."""
    challenge: bytes | None = await connection.fetchval("SELECT take_challenge($1, $2)", holder_hash, purpose)
    return challenge


async def list_passkeys(connection: asyncpg.Connection, user_id: int) -> list[asyncpg.Record]:
    """Return the passkeys of a user, oldest first."""
    columns = "id, name, credential_id, transports, created_at, last_used_at"
    rows: list[asyncpg.Record] = await connection.fetch(f"SELECT {columns} FROM passkeys_of($1)", user_id)
    return rows


async def find_passkey(connection: asyncpg.Connection, credential_id: bytes) -> asyncpg.Record | None:
    """Return a passkey with its user and the hash of their password. None if the user is disabled."""
    return await connection.fetchrow(
        "SELECT id, user_id, handle_id, password_hash, public_key, sign_count FROM passkey_of($1)", credential_id
    )


async def use_passkey(connection: asyncpg.Connection, passkey_id: int, sign_count: int) -> bool:
    """Record a use. Return False if the passkey was removed, or used with this count or a higher one."""
    return bool(await connection.fetchval("SELECT use_passkey($1, $2)", passkey_id, sign_count))


async def insert_passkey(
    connection: asyncpg.Connection,
    user_id: int,
    session_hash: bytes,
    name: str,
    credential_id: bytes,
    public_key: bytes,
    sign_count: int,
    transports: Sequence[str],
    recovery_hashes: Sequence[bytes],
    max_passkeys: int,
) -> bool | None:
    """Add a passkey. Return whether it turned two-step sign-in on, or None if the user has too many.

    Raises UniqueViolationError if the passkey is registered already.
    """
    arguments = user_id, session_hash, name, credential_id, public_key, sign_count, transports, recovery_hashes
    turned_on: bool | None = await connection.fetchval(
        "SELECT add_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9)", *arguments, max_passkeys
    )
    return turned_on


async def rename_passkey(connection: asyncpg.Connection, user_id: int, passkey_id: int, name: str) -> bool:
    """Rename a passkey of a user. Return False if there is none."""
    return bool(await connection.fetchval("SELECT rename_passkey($1, $2, $3)", user_id, passkey_id, name))


async def delete_passkey(
    connection: asyncpg.Connection, user_id: int, passkey_id: int, *, must_keep_two_step: bool
) -> str:
    """Delete a passkey of a user. Return `removed`, `turned_off`, `required` or `missing`."""
    query = "SELECT remove_passkey($1, $2, $3)"
    outcome: str = await connection.fetchval(query, user_id, passkey_id, must_keep_two_step)
    return outcome


async def is_session_confirmed(connection: asyncpg.Connection, token_hash: bytes, within: timedelta) -> bool:
    """Return whether the user of a session proved who they are within this time."""
    return bool(await connection.fetchval("SELECT is_session_confirmed($1, $2)", token_hash, within))


async def confirm_session(connection: asyncpg.Connection, token_hash: bytes, subjects: Sequence[bytes]) -> None:
    """Record that the user of a session proved who they are. Reset the attempts of the subjects."""
    await connection.execute("SELECT confirm_session($1, $2)", token_hash, subjects)
