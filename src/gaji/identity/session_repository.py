"""Sessions and sign-in attempts. All access is through database functions."""

from collections.abc import Sequence
from datetime import timedelta

import asyncpg


async def begin_attempt(
    connection: asyncpg.Connection,
    account: bytes,
    subjects: Sequence[bytes],
    free_failures: Sequence[int],
    window: timedelta,
    first_delay: timedelta,
    longest_delay: timedelta,
) -> int:
    """Record a sign-in attempt and return 0, or return the seconds to wait before the next one."""
    arguments = account, subjects, free_failures, window, first_delay, longest_delay
    wait_s: int = await connection.fetchval("SELECT begin_sign_in($1, $2, $3, $4, $5, $6)", *arguments)
    return wait_s


async def find_password(connection: asyncpg.Connection, email: str) -> asyncpg.Record | None:
    """Return the ID of a user and the hash of their password."""
    return await connection.fetchrow("SELECT user_id, password_hash FROM password_of($1)", email)


async def requires_single_sign_on(connection: asyncpg.Connection, user_id: int) -> bool:
    """Return whether a person can sign in with single sign-on only: all their accounts require it."""
    return bool(await connection.fetchval("SELECT must_use_single_sign_on($1)", user_id))


async def list_single_sign_on_only(connection: asyncpg.Connection, user_ids: Sequence[int]) -> frozenset[int]:
    """Return the people who can sign in with single sign-on only."""
    rows = await connection.fetch(
        "SELECT u.id FROM unnest($1::bigint[]) AS u (id) WHERE must_use_single_sign_on(u.id)", user_ids
    )
    return frozenset(row["id"] for row in rows)


async def find_password_hash(connection: asyncpg.Connection, user_id: int) -> str | None:
    """Return the hash of a user's password. None if the user has no password or may not sign in."""
    password_hash: str | None = await connection.fetchval("SELECT password_hash_of($1)", user_id)
    return password_hash


async def insert_session(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    code_given: bool,
    token_hash: bytes,
    lifetime: timedelta,
    partial_lifetime: timedelta,
    subjects: Sequence[bytes],
    address: bytes | None,
    acting_user_id: int | None,
) -> asyncpg.Record | None:
    """Create a session. Reset the attempts of the subjects, and remove the last attempt from the address.

    Return whether the session is partial and whom it acts as, or None if the password has been changed since it was
    checked. It acts as `acting_user_id` if possible.
    """
    arguments = user_id, password_hash, code_given, token_hash, lifetime, partial_lifetime, subjects, address
    return await connection.fetchrow(
        "SELECT is_partial, acting_user_id FROM begin_session($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        *arguments,
        acting_user_id,
    )


async def switch_account(
    connection: asyncpg.Connection, token_hash: bytes, account_id: int, new_token_hash: bytes, longest_pause: timedelta
) -> asyncpg.Record | None:
    """Let a session act in another account, with a new token. None if the person has no user there."""
    query = "SELECT outcome, acting_user_id, sign_in_key FROM switch_account($1, $2, $3, $4)"
    return await connection.fetchrow(query, token_hash, account_id, new_token_hash, longest_pause)


async def find_session(
    connection: asyncpg.Connection, token_hash: bytes, longest_pause: timedelta
) -> asyncpg.Record | None:
    """Return the user that a session acts as, if it was used within the pause."""
    return await connection.fetchrow(
        "SELECT user_id, account_id, access_version, administrator, email, name, account_name, two_step_required, "
        "two_step_missing, method, single_sign_on_required, home_user_id, has_password, can_change_sign_in, "
        "coalesce(accounts, '[]')::text AS accounts FROM session_of($1, $2)",
        token_hash,
        longest_pause,
    )


async def describe_session(connection: asyncpg.Connection, token_hash: bytes, device: str, address: str) -> None:
    """Record where a session was begun."""
    await connection.execute("SELECT describe_session($1, $2, $3)", token_hash, device, address)


async def list_sessions(
    connection: asyncpg.Connection, token_hash: bytes, longest_pause: timedelta
) -> list[asyncpg.Record]:
    """Return all sessions of the user of a session, the last used first."""
    columns = "id, created_at, last_seen_at, device, address, is_current, method"
    rows: list[asyncpg.Record] = await connection.fetch(
        f"SELECT {columns} FROM sessions_like($1, $2)", token_hash, longest_pause
    )
    return rows


async def end_other_sessions(connection: asyncpg.Connection, token_hash: bytes, session_id: int | None) -> int:
    """End another session of the user of a session, or all others. Return how many ended."""
    count: int = await connection.fetchval("SELECT end_other_sessions($1, $2)", token_hash, session_id)
    return count


async def delete_session(connection: asyncpg.Connection, token_hash: bytes) -> None:
    """End a session."""
    await connection.execute("SELECT end_session($1)", token_hash)


async def change_password(connection: asyncpg.Connection, user_id: int, old_hash: str, new_hash: str) -> bool:
    """Change a password and end the user's sessions. Return False if it was changed concurrently."""
    return bool(await connection.fetchval("SELECT change_password($1, $2, $3)", user_id, old_hash, new_hash))
