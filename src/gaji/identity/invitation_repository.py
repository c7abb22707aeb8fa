"""The SQL of invitations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import asyncpg

from gaji.db.tenancy import Transaction


async def user(tx: Transaction, email: str) -> asyncpg.Record | None:
    """The user of the caller's account with this email: id, and whether they may not sign in."""
    return await tx.fetchrow(
        "SELECT id, disabled_at IS NOT NULL AS disabled FROM users WHERE lower(email) = lower($1) AND account_id = $2",
        email,
        tx.caller.account_id,
    )


async def waiting(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """The invitations of a client that nobody has used yet, by email."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT i.id, i.email, i.role, i.employee_id, coalesce(nullif(u.name, ''), u.email) AS by, i.expires_at "
        "FROM invitations i JOIN users u ON u.id = i.invited_by WHERE i.client_id = $1 ORDER BY lower(i.email)",
        client_id,
    )
    return rows


async def count(tx: Transaction, client_id: int) -> int:
    """How many there are."""
    found: int = await tx.fetchval("SELECT count(*) FROM invitations WHERE client_id = $1", client_id)
    return found


async def insert(
    tx: Transaction, client_id: int, record: Mapping[str, Any], token_hash: bytes, lasting: timedelta
) -> None:
    """Invite someone; an invitation of the same email that nobody has used gives way."""
    await tx.execute(
        "INSERT INTO invitations (client_id, email, role, employee_id, token_hash, invited_by, expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, now() + $7::interval) ON CONFLICT (client_id, lower(email)) DO UPDATE SET "
        "email = excluded.email, role = excluded.role, employee_id = excluded.employee_id, updated_at = now(), "
        "token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at",
        client_id,
        record["email"],
        record["role"],
        record["employee_id"],
        token_hash,
        tx.caller.user_id,
        lasting,
    )


async def renew(
    tx: Transaction, client_id: int, invitation_id: int, token_hash: bytes, lasting: timedelta
) -> str | None:
    """Give an invitation another token, from the caller; gives its email."""
    email: str | None = await tx.fetchval(
        "UPDATE invitations SET token_hash = $3, invited_by = $4, expires_at = now() + $5::interval, "
        "updated_at = now() WHERE client_id = $1 AND id = $2 RETURNING email",
        client_id,
        invitation_id,
        token_hash,
        tx.caller.user_id,
        lasting,
    )
    return email


async def withdraw(tx: Transaction, client_id: int, invitation_id: int) -> bool:
    """End an invitation; false when there is none."""
    outcome = await tx.execute("DELETE FROM invitations WHERE client_id = $1 AND id = $2", client_id, invitation_id)
    return bool(outcome == "DELETE 1")


async def withdraw_for(tx: Transaction, client_id: int, email: str) -> None:
    """End the invitation of someone who has a role by now."""
    await tx.execute("DELETE FROM invitations WHERE client_id = $1 AND lower(email) = lower($2)", client_id, email)


async def find(connection: asyncpg.Connection, token_hash: bytes) -> asyncpg.Record | None:
    """What an invitation says, if it works."""
    return await connection.fetchrow("SELECT email, role, company, known FROM invitation_of($1)", token_hash)


async def accept(
    connection: asyncpg.Connection, token_hash: bytes, name: str, password_hash: str
) -> asyncpg.Record | None:
    """Use an invitation up; gives the user and whether they are new. Raises UniqueViolationError for a taken email."""
    return await connection.fetchrow(
        "SELECT user_id, is_new FROM accept_invitation($1, $2, $3)", token_hash, name, password_hash
    )
