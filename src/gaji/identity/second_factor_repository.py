"""The SQL of the second step: calls of the functions that are the only way to it, and what an operator does."""

from collections.abc import Sequence

import asyncpg


async def half_session(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """Whose half session this is, and the hash of their password."""
    return await connection.fetchrow("SELECT user_id, password_hash FROM half_session_of($1)", token_hash)


async def second_factor(connection: asyncpg.Connection, user_id: int) -> asyncpg.Record | None:
    """What the codes of a user are checked against, if they turned it on."""
    return await connection.fetchrow(
        "SELECT secret_sealed, last_step, recovery_codes_hash, created_at FROM second_factor_of($1)", user_id
    )


async def use_code(connection: asyncpg.Connection, user_id: int, step: int) -> bool:
    """Use up the code of a time step; false when it was used before."""
    return bool(await connection.fetchval("SELECT use_code($1, $2)", user_id, step))


async def use_recovery_code(connection: asyncpg.Connection, user_id: int, code_hash: bytes) -> bool:
    """Use up a recovery code; false when it was used before."""
    return bool(await connection.fetchval("SELECT use_recovery_code($1, $2)", user_id, code_hash))


async def turn_on(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    sealed: bytes,
    step: int,
    recovery: Sequence[bytes],
) -> bool:
    """Turn it on and end the sessions of its user; false when the password changed, or it is on already."""
    arguments = user_id, password_hash, sealed, step, recovery
    return bool(await connection.fetchval("SELECT turn_on_second_factor($1, $2, $3, $4, $5)", *arguments))


async def turn_off(connection: asyncpg.Connection, user_id: int, password_hash: str) -> bool:
    """Turn it off and end the sessions of its user; false when the password changed, or it is off already."""
    return bool(await connection.fetchval("SELECT turn_off_second_factor($1, $2)", user_id, password_hash))


async def take_away(connection: asyncpg.Connection, user_id: int) -> bool:
    """Turn it off for someone who cannot, and end their sessions; needs maintenance."""
    removed = await connection.fetchval("DELETE FROM second_factors WHERE id = $1 RETURNING id", user_id)
    await connection.execute("DELETE FROM console_sessions WHERE user_id = $1", user_id)
    return removed is not None
