"""Links to set a new password. The application's access is through database functions."""

from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from gaji.db.tenancy import Transaction


async def create_for_member(tx: Transaction, user_id: int, token_hash: bytes, lifetime: timedelta) -> bool:
    """Store the link that an owner makes for a user. Return False if the caller may not make it."""
    query = "SELECT create_password_reset($1, $2, $3)"
    return bool(await tx.fetchval(query, user_id, token_hash, lifetime))


async def create_by_operator(
    connection: asyncpg.Connection, user_id: int, token_hash: bytes, lifetime: timedelta
) -> None:
    """Store the link that an operator makes for a user, on a maintenance connection."""
    await connection.execute("DELETE FROM password_resets WHERE user_id = $1 AND origin = 'operator'", user_id)
    await connection.execute(
        "INSERT INTO password_resets (account_id, user_id, origin, token_hash, expires_at) "
        "SELECT account_id, id, 'operator', $2, now() + $3::interval FROM users WHERE id = $1",
        user_id,
        token_hash,
        lifetime,
    )


@dataclass(frozen=True)
class UserOfLink:
    """The user who may set a password with a link."""

    email: str
    name: str


async def find_user(connection: asyncpg.Connection, token_hash: bytes) -> UserOfLink | None:
    """Return the user of a link that works."""
    row = await connection.fetchrow("SELECT email, name FROM password_reset_of($1)", token_hash)
    return UserOfLink(row["email"], row["name"]) if row else None


async def use(connection: asyncpg.Connection, token_hash: bytes, password_hash: str) -> int | None:
    """Set the password and end the user's sessions. Return the user, or None if the link does not work."""
    user_id: int | None = await connection.fetchval("SELECT use_password_reset($1, $2)", token_hash, password_hash)
    return user_id
