"""The SQL of sessions: calls of the functions that are the only way to them."""

from collections.abc import Sequence
from datetime import timedelta

import asyncpg


async def begin_sign_in(connection: asyncpg.Connection, subjects: Sequence[bytes], counted: timedelta) -> list[int]:
    """Note an attempt, and give how many there were lately of each subject."""
    found: list[int] = await connection.fetchval("SELECT begin_sign_in($1, $2)", subjects, counted)
    return found


async def password(connection: asyncpg.Connection, email: str) -> asyncpg.Record | None:
    """The id of a user and the hash of their password."""
    return await connection.fetchrow("SELECT user_id, password_hash FROM password_of($1)", email)


async def begin(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    code_given: bool,
    token_hash: bytes,
    lasting: timedelta,
    half_lasting: timedelta,
    subjects: Sequence[bytes],
    address: bytes | None,
) -> bool | None:
    """Begin a session, and forget the attempts of these subjects and the last one from this address.

    Tells whether it is a half one; none when what the password was checked against is not its hash any more.
    """
    arguments = user_id, password_hash, code_given, token_hash, lasting, half_lasting, subjects, address
    half: bool | None = await connection.fetchval("SELECT begin_session($1, $2, $3, $4, $5, $6, $7, $8)", *arguments)
    return half


async def find(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """Whose session this is, if it is one."""
    return await connection.fetchrow(
        "SELECT user_id, account_id, access_version, administrator, email, name, account_name FROM session_of($1)",
        token_hash,
    )


async def end(connection: asyncpg.Connection, token_hash: bytes) -> None:
    """End a session."""
    await connection.execute("SELECT end_session($1)", token_hash)


async def change_password(connection: asyncpg.Connection, user_id: int, old_hash: str, new_hash: str) -> bool:
    """Change a password and end the sessions of its user; false when somebody else changed it just now."""
    return bool(await connection.fetchval("SELECT change_password($1, $2, $3)", user_id, old_hash, new_hash))
