"""Second factors. All access is through database functions, except for the operator's reset."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def find_partial_session(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """Return the user of a partial session and the hash of their password."""
    return await connection.fetchrow("SELECT user_id, password_hash FROM half_session_of($1)", token_hash)


async def find_second_factor(connection: asyncpg.Connection, user_id: int) -> asyncpg.Record | None:
    """Return the second factor of a user, if it is enabled."""
    return await connection.fetchrow(
        "SELECT secret_sealed, last_step, recovery_codes_hash, created_at FROM second_factor_of($1)", user_id
    )


async def use_code(connection: asyncpg.Connection, user_id: int, step: int) -> bool:
    """Mark the code of a time step as used. Return False if it was used before."""
    return bool(await connection.fetchval("SELECT use_code($1, $2)", user_id, step))


async def use_recovery_code(connection: asyncpg.Connection, user_id: int, code_hash: bytes) -> bool:
    """Mark a recovery code as used. Return False if it was used before."""
    return bool(await connection.fetchval("SELECT use_recovery_code($1, $2)", user_id, code_hash))


async def enable(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    secret_sealed: bytes,
    step: int,
    recovery_hashes: Sequence[bytes],
) -> bool:
    """Enable the second factor and end the user's sessions.

    Return False if the password was changed, or if the second factor is already enabled.
    """
    arguments = user_id, password_hash, secret_sealed, step, recovery_hashes
    return bool(await connection.fetchval("SELECT turn_on_second_factor($1, $2, $3, $4, $5)", *arguments))


async def disable(connection: asyncpg.Connection, user_id: int, password_hash: str) -> bool:
    """Disable the second factor and end the user's sessions.

    Return False if the password was changed, or if the second factor is already disabled.
    """
    return bool(await connection.fetchval("SELECT turn_off_second_factor($1, $2)", user_id, password_hash))


async def require_for_account(tx: Transaction, required: bool) -> bool:
    """Require two-step sign-in of the users of the account, or no longer. False if the caller may not."""
    changed: bool = await tx.fetchval("SELECT require_two_step($1)", required)
    return changed


async def delete(connection: asyncpg.Connection, user_id: int) -> bool:
    """Delete a user's second factor and end their sessions, on a maintenance connection.

    Return False if it was not enabled.
    """
    deleted = await connection.fetchval("DELETE FROM second_factors WHERE id = $1 RETURNING id", user_id)
    await connection.execute("DELETE FROM console_sessions WHERE user_id = $1", user_id)
    return deleted is not None
