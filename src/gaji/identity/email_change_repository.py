"""Changes of email. The application's access is through database functions."""

from datetime import timedelta

import asyncpg

from gaji.db.tenancy import Transaction


async def find_pending(tx: Transaction, user_id: int) -> asyncpg.Record | None:
    """Return the change of another user that waits for a code that the caller may make."""
    return await tx.fetchrow("SELECT new_email, mailed, expires_at FROM pending_email_change($1)", user_id)


async def find_own(connection: asyncpg.Connection, user_id: int) -> asyncpg.Record | None:
    """Return the change that a user who signed in has asked for."""
    return await connection.fetchrow("SELECT new_email, mailed, expires_at FROM own_email_change($1)", user_id)


async def cancel(connection: asyncpg.Connection, user_id: int) -> bool:
    """Delete the change that a user who signed in has asked for. Return whether there was one."""
    return bool(await connection.fetchval("SELECT cancel_email_change($1)", user_id))


async def create_code(tx: Transaction, user_id: int, token_hash: bytes, lifetime: timedelta) -> str | None:
    """Store a code for the change of another user. Return the new address, or None if the caller may not make it."""
    query = "SELECT create_email_change_code($1, $2, $3)"
    address: str | None = await tx.fetchval(query, user_id, token_hash, lifetime)
    return address


async def find_change(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """Return the change of a link or code that works."""
    return await connection.fetchrow("SELECT user_id, email, new_email FROM email_change_of($1)", token_hash)


async def set_email(connection: asyncpg.Connection, user_id: int, email: str) -> None:
    """Set the email of a user, on a maintenance connection. Raises UniqueViolationError if it is taken."""
    await connection.execute("UPDATE users SET email = $2, updated_at = now() WHERE id = $1", user_id, email)
