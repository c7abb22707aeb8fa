"""Accounts, users, roles and API keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.db.tenancy import Caller, Transaction


@dataclass(frozen=True)
class ApiKey:
    """An API key. The key itself is not stored."""

    id: int
    name: str
    hint: str
    """The last characters of the key."""
    read_only: bool
    hide_identifiers: bool
    expires_at: datetime | None
    revoked_at: datetime | None
    created_at: datetime
    last_used_at: datetime | None
    client_ids: list[int]
    """The clients that the key is limited to. Empty: no limit."""


async def find_caller(connection: asyncpg.Connection, key_hash: bytes) -> Caller | None:
    """Return the caller of an active key."""
    row = await connection.fetchrow(
        "SELECT user_id, account_id, access_version, administrator, key_id, read_only, hide_identifiers, limited, "
        "expires_at FROM authenticate($1)",
        key_hash,
    )
    return Caller(**row) if row else None


@dataclass(frozen=True)
class AccountUser:
    """The user of an account, as operators name it."""

    user_id: int
    account_id: int
    account_name: str
    access_version: int
    administrator: bool
    disabled: bool

    @property
    def caller(self) -> Caller:
        """The user as a caller without a key."""
        return Caller(self.user_id, self.account_id, self.access_version, self.administrator)


async def list_users(connection: asyncpg.Connection, email: str) -> list[AccountUser]:
    """Return the users with an email in all accounts, disabled or not, on a maintenance connection."""
    rows = await connection.fetch(
        "SELECT u.id AS user_id, u.account_id, c.name AS account_name, a.version AS access_version, u.administrator, "
        "u.disabled_at IS NOT NULL AS disabled "
        "FROM users u JOIN user_access a ON a.user_id = u.id JOIN accounts c ON c.id = u.account_id "
        "WHERE lower(u.email) = lower($1) ORDER BY u.account_id",
        email,
    )
    return [AccountUser(**row) for row in rows]


async def find_person(connection: asyncpg.Connection, email: str) -> int | None:
    """Return the home user who signs in with an email, on a maintenance connection. None if nobody may."""
    query = "SELECT id FROM users WHERE id = person_with_email($1) AND is_active_person(id)"
    user_id: int | None = await connection.fetchval(query, email)
    return user_id


async def has_password(connection: asyncpg.Connection, user_id: int) -> bool:
    """Return whether a user can sign in with a password, on a maintenance connection."""
    return bool(await connection.fetchval("SELECT password_hash <> '' FROM users WHERE id = $1", user_id))


async def link_user(connection: asyncpg.Connection, home_user_id: int, account_id: int) -> int:
    """Return the user of a person in an account, on a maintenance connection. It is made if there is none."""
    user_id: int = await connection.fetchval("SELECT link_user($1, $2)", home_user_id, account_id)
    return user_id


async def find_home_successor(connection: asyncpg.Connection, user_id: int) -> asyncpg.Record | None:
    """Return the linked user that takes over if a home user is deleted, and the sealed secret of the home user."""
    return await connection.fetchrow("SELECT user_id, secret_sealed FROM home_successor($1)", user_id)


async def transfer_home(
    connection: asyncpg.Connection, user_id: int, successor_id: int, secret_sealed: bytes | None
) -> None:
    """Make a linked user the home user, with the secret sealed for it."""
    await connection.execute("SELECT transfer_home($1, $2, $3)", user_id, successor_id, secret_sealed)


async def find_role(tx: Transaction, client_id: int) -> str | None:
    """Return the caller's role for a client that this transaction may see."""
    role: str | None = await tx.fetchval(
        "SELECT role FROM memberships WHERE client_id = $1 AND user_id = $2", client_id, tx.caller.user_id
    )
    return role


async def load_caller_json(tx: Transaction, requests_per_minute: int | None) -> bytes:
    """Return the caller with the account, the clients and the API key as JSON.

    Employees see neither their client nor their membership, so theirs come from their employee records.
    """
    text: str = await tx.fetchval(
        """SELECT json_build_object(
            'user', json_build_object('id', u.id, 'email', u.email, 'name', u.name, 'administrator', u.administrator),
            'account', json_build_object('id', a.id, 'name', a.name),
            'clients', (SELECT coalesce(json_agg(json_build_object(
                    'id', r.id, 'name', r.name, 'role', r.role, 'employee_id', r.employee_id) ORDER BY r.id), '[]')
                FROM (SELECT c.id, c.name, m.role, m.employee_id
                      FROM memberships m JOIN clients c ON c.id = m.client_id WHERE m.user_id = u.id
                      UNION ALL
                      SELECT e.client_id, NULL, 'employee', e.id
                      FROM employees e WHERE e.id = ANY (own_employees())) r),
            'api_key', json_build_object('id', k.id, 'name', k.name, 'hint', k.hint, 'read_only', k.read_only,
                'hide_identifiers', k.hide_identifiers, 'limited_to_clients', k.limited,
                'requests_per_minute', $3::integer, 'created_at', shown(k.created_at),
                'expires_at', shown(k.expires_at)))::text
        FROM users u JOIN accounts a ON a.id = u.account_id JOIN api_keys k ON k.user_id = u.id
        WHERE u.id = $1 AND k.id = $2""",
        tx.caller.user_id,
        tx.caller.key_id,
        requests_per_minute,
    )
    return text.encode()


async def has_accounts(connection: asyncpg.Connection) -> bool:
    """Return whether there is any account, on a maintenance connection."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM accounts)"))


async def insert_empty_account(connection: asyncpg.Connection, name: str) -> int:
    """Insert an account without users. Return its ID."""
    account_id: int = await connection.fetchval("INSERT INTO accounts (name) VALUES ($1) RETURNING id", name)
    return account_id


async def make_administrator(connection: asyncpg.Connection, user_id: int) -> None:
    """Make a user an administrator of the account."""
    await connection.execute("UPDATE users SET administrator = true, updated_at = now() WHERE id = $1", user_id)


async def insert_account(connection: asyncpg.Connection, name: str, email: str, password_hash: str) -> tuple[int, int]:
    """Insert an account and its first user, an administrator. Return both IDs.

    Raises UniqueViolationError if the email is taken.
    """
    account_id = await insert_empty_account(connection, name)
    user_id: int = await connection.fetchval(
        "INSERT INTO users (account_id, email, password_hash, administrator) VALUES ($1, $2, $3, true) RETURNING id",
        account_id,
        email,
        password_hash,
    )
    return account_id, user_id


async def insert_user(
    connection: asyncpg.Connection, account_id: int, email: str, name: str, password_hash: str
) -> int:
    """Insert a user without any role. Raises UniqueViolationError if the email is taken."""
    user_id: int = await connection.fetchval(
        "INSERT INTO users (account_id, email, name, password_hash) VALUES ($1, $2, $3, $4) RETURNING id",
        account_id,
        email,
        name,
        password_hash,
    )
    return user_id


async def set_password(connection: asyncpg.Connection, user_id: int, password_hash: str) -> None:
    """Set the password of a user, on a maintenance connection."""
    await connection.execute(
        "UPDATE users SET password_hash = $2, updated_at = now() WHERE id = $1", user_id, password_hash
    )


async def find_account_of_client(connection: asyncpg.Connection, client_id: int) -> int | None:
    """Return the account of a client."""
    account_id: int | None = await connection.fetchval("SELECT account_id FROM clients WHERE id = $1", client_id)
    return account_id


async def has_employee(connection: asyncpg.Connection, client_id: int, employee_id: int) -> bool:
    """Return whether a client has an employee."""
    query = "SELECT EXISTS (SELECT FROM employees WHERE client_id = $1 AND id = $2)"
    return bool(await connection.fetchval(query, client_id, employee_id))


async def is_only_owner(connection: asyncpg.Connection, client_id: int, user_id: int) -> bool:
    """Return whether a user is the only owner of a client who can sign in. Locks the roles of the client."""
    await connection.execute("SELECT FROM clients WHERE id = $1 FOR NO KEY UPDATE", client_id)
    owners = await connection.fetch(
        "SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id "
        "WHERE m.client_id = $1 AND m.role = 'owner' AND (u.id = $2 OR u.disabled_at IS NULL)",
        client_id,
        user_id,
    )
    return [owner["id"] for owner in owners] == [user_id]


async def set_role(
    connection: asyncpg.Connection, client_id: int, user_id: int, role: str | None, employee_id: int | None
) -> None:
    """Set the role of a user for a client. None removes it."""
    if role is None:
        await connection.execute("DELETE FROM memberships WHERE client_id = $1 AND user_id = $2", client_id, user_id)
        return
    await connection.execute(
        "INSERT INTO memberships (client_id, user_id, role, employee_id) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (client_id, user_id) "
        "DO UPDATE SET role = excluded.role, employee_id = excluded.employee_id, updated_at = now()",
        client_id,
        user_id,
        role,
        employee_id,
    )


async def insert_key(
    connection: asyncpg.Connection,
    owner: Caller,
    *,
    name: str,
    key_hash: bytes,
    hint: str,
    client_ids: Sequence[int],
    read_only: bool,
    hide_identifiers: bool,
    expires_at: datetime | None,
) -> int:
    """Insert an API key. If there are client IDs, the key is limited to them."""
    key_id: int = await connection.fetchval(
        "INSERT INTO api_keys (account_id, user_id, name, key_hash, hint, read_only, hide_identifiers, limited, "
        "expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        owner.account_id,
        owner.user_id,
        name,
        key_hash,
        hint,
        read_only,
        hide_identifiers,
        bool(client_ids),
        expires_at,
    )
    await connection.executemany(
        "INSERT INTO api_key_clients (client_id, key_id) VALUES ($1, $2)",
        [(client_id, key_id) for client_id in client_ids],
    )
    return key_id


async def list_member_clients(connection: asyncpg.Connection, user_id: int) -> set[int]:
    """Return the IDs of the clients for which a user has a role."""
    rows = await connection.fetch("SELECT client_id FROM memberships WHERE user_id = $1", user_id)
    return {row["client_id"] for row in rows}


async def list_keys(connection: asyncpg.Connection, user_id: int) -> list[ApiKey]:
    """Return all API keys of a user, newest first."""
    rows = await connection.fetch(
        "SELECT k.id, k.name, k.hint, k.read_only, k.hide_identifiers, k.expires_at, k.revoked_at, k.created_at, "
        "u.last_used_at, ARRAY(SELECT client_id FROM api_key_clients c WHERE c.key_id = k.id ORDER BY 1) AS client_ids "
        "FROM api_keys k LEFT JOIN api_key_uses u ON u.key_id = k.id WHERE k.user_id = $1 ORDER BY k.id DESC",
        user_id,
    )
    return [ApiKey(**row) for row in rows]


async def count_active_keys(connection: asyncpg.Connection, user_id: int) -> int:
    """Return the number of a user's keys that are neither revoked nor expired."""
    count: int = await connection.fetchval(
        "SELECT count(*) FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL "
        "AND (expires_at IS NULL OR expires_at > now())",
        user_id,
    )
    return count


async def revoke_key(connection: asyncpg.Connection, key_id: int) -> bool:
    """Revoke a key. Return False if it does not exist or is already revoked."""
    outcome = await connection.execute(
        "UPDATE api_keys SET revoked_at = now(), updated_at = now() WHERE id = $1 AND revoked_at IS NULL",
        key_id,
    )
    return bool(outcome == "UPDATE 1")


async def revoke_keys(connection: asyncpg.Connection, user_id: int) -> int:
    """Revoke all keys of a user. Return the number of keys that were not revoked before."""
    rows = await connection.fetch(
        "UPDATE api_keys SET revoked_at = now(), updated_at = now() WHERE user_id = $1 AND revoked_at IS NULL "
        "RETURNING id",
        user_id,
    )
    return len(rows)


async def list_owned_clients(connection: asyncpg.Connection, user_id: int) -> list[int]:
    """Return the clients that a user owns."""
    query = "SELECT client_id FROM memberships WHERE user_id = $1 AND role = 'owner' ORDER BY client_id"
    return [row["client_id"] for row in await connection.fetch(query, user_id)]


async def set_disabled(connection: asyncpg.Connection, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user."""
    await connection.execute(
        "UPDATE users SET disabled_at = CASE WHEN $2 THEN coalesce(disabled_at, now()) END, disabled_by = NULL, "
        "updated_at = now() WHERE id = $1",
        user_id,
        disabled,
    )


async def delete_user(connection: asyncpg.Connection, user_id: int) -> None:
    """Delete a user and everything that belongs to the user."""
    await connection.execute("DELETE FROM users WHERE id = $1", user_id)


async def delete_sessions(connection: asyncpg.Connection, user_id: int) -> int:
    """End all sessions of a user, who signed in or whom they act as. Return their number."""
    query = "DELETE FROM console_sessions WHERE user_id = $1 OR acting_user_id = $1 RETURNING id"
    return len(await connection.fetch(query, user_id))


async def delete_acting_sessions(connection: asyncpg.Connection, user_id: int) -> int:
    """End the sessions that act as a user. Return their number."""
    query = "DELETE FROM console_sessions WHERE acting_user_id = $1 RETURNING id"
    return len(await connection.fetch(query, user_id))


async def delete_attempts(connection: asyncpg.Connection, subjects: Sequence[bytes]) -> None:
    """Forget the sign-in attempts of these subjects, whatever address they came from."""
    await connection.execute(
        "DELETE FROM sign_in_attempts WHERE subject_hash = ANY ($1) OR account_hash = ANY ($1)", subjects
    )


async def leave_account(tx: Transaction) -> asyncpg.Record:
    """Remove all roles of the caller in the account, if possible. Return the outcome and the companies in the way."""
    return await tx.fetchrow("SELECT outcome, companies FROM leave_account()")
