"""Invitations of new users to a client."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.identity.schemas import NewMemberInput


@dataclass(frozen=True)
class EmployeeInvitation:
    """An invitation of an employee that is to be stored."""

    employee_id: int
    name: str
    email: str | None
    """None if the employee enters one."""
    token_hash: bytes


async def find_user(tx: Transaction, email: str) -> asyncpg.Record | None:
    """Return the ID of the user of the caller's account with this email, and whether the user is disabled."""
    return await tx.fetchrow(
        "SELECT id, disabled_at IS NOT NULL AS disabled FROM users WHERE lower(email) = lower($1) AND account_id = $2",
        email,
        tx.caller.account_id,
    )


async def list_pending(tx: Transaction, client_id: int, limit: int) -> list[asyncpg.Record]:
    """Return the first unused invitations of a client, those of employees last, ordered by email."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT i.id, coalesce(i.email, '') AS email, i.name, i.role, i.employee_id, i.expires_at, "
        "coalesce(nullif(u.name, ''), u.email) AS invited_by "
        "FROM invitations i JOIN users u ON u.id = i.invited_by WHERE i.client_id = $1 "
        "ORDER BY i.role = 'employee', lower(i.email), i.id LIMIT $2",
        client_id,
        limit,
    )
    return rows


async def count_pending(tx: Transaction, client_id: int) -> int:
    """Return the number of unused invitations of a client, without those of employees."""
    query = "SELECT count(*) FROM invitations WHERE client_id = $1 AND role <> 'employee'"
    count: int = await tx.fetchval(query, client_id)
    return count


async def insert_invitation(
    tx: Transaction, client_id: int, member: NewMemberInput, token_hash: bytes, lifetime: timedelta
) -> int:
    """Insert an invitation, or replace the unused one for the same email. Return its ID."""
    invitation_id: int = await tx.fetchval(
        "INSERT INTO invitations (client_id, email, role, employee_id, token_hash, invited_by, expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, now() + $7::interval) ON CONFLICT (client_id, lower(email)) DO UPDATE SET "
        "email = excluded.email, role = excluded.role, employee_id = excluded.employee_id, updated_at = now(), "
        "token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at "
        "RETURNING id",
        client_id,
        member.email,
        member.role,
        member.employee_id,
        token_hash,
        tx.caller.user_id,
        lifetime,
    )
    return invitation_id


async def replace_employee_invitations(
    tx: Transaction, client_id: int, invitations: Sequence[EmployeeInvitation], lifetime: timedelta
) -> dict[int, int]:
    """Insert invitations of employees, in place of those that they have. Return the IDs by employee."""
    employee_ids = [invitation.employee_id for invitation in invitations]
    await delete_employee_invitations(tx, client_id, employee_ids)
    rows = await tx.fetch(
        "INSERT INTO invitations (client_id, email, role, employee_id, name, token_hash, invited_by, expires_at) "
        "SELECT $1, n.email, 'employee', n.employee_id, n.name, n.token_hash, $6, now() + $7::interval "
        "FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bytea[]) AS n (employee_id, name, email, token_hash) "
        "RETURNING id, employee_id",
        client_id,
        employee_ids,
        [invitation.name for invitation in invitations],
        [invitation.email for invitation in invitations],
        [invitation.token_hash for invitation in invitations],
        tx.caller.user_id,
        lifetime,
    )
    return {row["employee_id"]: row["id"] for row in rows}


async def delete_employee_invitations(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Delete the invitations of employees."""
    query = "DELETE FROM invitations WHERE client_id = $1 AND employee_id = ANY ($2::bigint[])"
    await tx.execute(query, client_id, employee_ids)


async def renew_invitation(
    tx: Transaction, client_id: int, invitation_id: int, token_hash: bytes, lifetime: timedelta
) -> asyncpg.Record | None:
    """Replace the token of an invitation. Return its email and role, or None if there is no such invitation."""
    return await tx.fetchrow(
        "UPDATE invitations SET token_hash = $3, invited_by = $4, expires_at = now() + $5::interval, "
        "updated_at = now() WHERE client_id = $1 AND id = $2 RETURNING coalesce(email, '') AS email, name, role",
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
    columns = "email, role, name, company, known, sign_in_key, single_sign_on_required"
    return await connection.fetchrow(f"SELECT {columns} FROM invitation_of($1)", token_hash)


async def accept_invitation_as(
    connection: asyncpg.Connection, token_hash: bytes, session_hash: bytes
) -> asyncpg.Record | None:
    """Use an invitation as the person of a session. Return the outcome and the account, or None if there is none."""
    query = "SELECT outcome, account_id FROM accept_invitation_as($1, $2)"
    return await connection.fetchrow(query, token_hash, session_hash)


async def accept_invitation(
    connection: asyncpg.Connection, token_hash: bytes, name: str, email: str, password_hash: str
) -> asyncpg.Record | None:
    """Use an invitation. Return the user and whether it is new. Raises UniqueViolationError if the email is taken."""
    return await connection.fetchrow(
        "SELECT user_id, is_new FROM accept_invitation($1, $2, $3, $4)", token_hash, name, email, password_hash
    )
