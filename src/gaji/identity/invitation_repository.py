"""Invitations of new users to a client."""

from datetime import timedelta

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.identity.schemas import NewMemberInput


async def find_user(tx: Transaction, email: str) -> asyncpg.Record | None:
    """Return the ID of the user of the caller's account with this email, and whether the user is disabled."""
    return await tx.fetchrow(
        "SELECT id, disabled_at IS NOT NULL AS disabled FROM users WHERE lower(email) = lower($1) AND account_id = $2",
        email,
        tx.caller.account_id,
    )


async def list_pending(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Return the unused invitations of a client, ordered by email."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT i.id, i.email, i.role, i.employee_id, coalesce(nullif(u.name, ''), u.email) AS invited_by, "
        "i.expires_at FROM invitations i JOIN users u ON u.id = i.invited_by WHERE i.client_id = $1 "
        "ORDER BY lower(i.email)",
        client_id,
    )
    return rows


async def count_pending(tx: Transaction, client_id: int) -> int:
    """Return the number of unused invitations of a client."""
    count: int = await tx.fetchval("SELECT count(*) FROM invitations WHERE client_id = $1", client_id)
    return count


async def insert_invitation(
    tx: Transaction, client_id: int, member: NewMemberInput, token_hash: bytes, lifetime: timedelta
) -> None:
    """Insert an invitation, or replace the unused one for the same email."""
    await tx.execute(
        "INSERT INTO invitations (client_id, email, role, employee_id, token_hash, invited_by, expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, now() + $7::interval) ON CONFLICT (client_id, lower(email)) DO UPDATE SET "
        "email = excluded.email, role = excluded.role, employee_id = excluded.employee_id, updated_at = now(), "
        "token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at",
        client_id,
        member.email,
        member.role,
        member.employee_id,
        token_hash,
        tx.caller.user_id,
        lifetime,
    )


async def renew_invitation(
    tx: Transaction, client_id: int, invitation_id: int, token_hash: bytes, lifetime: timedelta
) -> asyncpg.Record | None:
    """Replace the token of an invitation. Return its email and role, or None if there is no such invitation."""
    return await tx.fetchrow(
        "UPDATE invitations SET token_hash = $3, invited_by = $4, expires_at = now() + $5::interval, "
        "updated_at = now() WHERE client_id = $1 AND id = $2 RETURNING email, role",
        client_id,
        invitation_id,
        token_hash,
        tx.caller.user_id,
        lifetime,
    )


async def load_names(tx: Transaction, client_id: int) -> asyncpg.Record:
    """Return the name of a client, and that of the caller."""
    return await tx.fetchrow(
        "SELECT c.name AS company, coalesce(nullif(u.name, ''), u.email) AS inviter "
        "FROM clients c, users u WHERE c.id = $1 AND u.id = $2",
        client_id,
        tx.caller.user_id,
    )


async def delete_invitation(tx: Transaction, client_id: int, invitation_id: int) -> bool:
    """Delete an invitation. Return False if there is no such invitation."""
    outcome = await tx.execute("DELETE FROM invitations WHERE client_id = $1 AND id = $2", client_id, invitation_id)
    return bool(outcome == "DELETE 1")


async def delete_invitation_for(tx: Transaction, client_id: int, email: str) -> None:
    """Delete the invitation for an email, if there is one."""
    await tx.execute("DELETE FROM invitations WHERE client_id = $1 AND lower(email) = lower($2)", client_id, email)


async def find_invitation(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """Return an invitation that is unused and has not expired."""
    return await connection.fetchrow("SELECT email, role, company, known FROM invitation_of($1)", token_hash)


async def accept_invitation(
    connection: asyncpg.Connection, token_hash: bytes, name: str, password_hash: str
) -> asyncpg.Record | None:
    """Use an invitation. Return the user and whether it is new. Raises UniqueViolationError if the email is taken."""
    return await connection.fetchrow(
        "SELECT user_id, is_new FROM accept_invitation($1, $2, $3)", token_hash, name, password_hash
    )
