"""What can be asked about accounts: make one, make and end keys, find out who calls and what they may do."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
from argon2 import PasswordHasher

from gaji.core.errors import INVALID, Conflict, Errors, Forbidden, NotFound, ValidationError, invalid
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, Transaction, acquire
from gaji.identity import key_format
from gaji.identity import repository
from gaji.identity.members import LAST_OWNER
from gaji.identity.schemas import EMAIL, EMPLOYEE, OWNER

WRITERS = ("owner", "payroll")
NO_ROLE = "none"
ROLES = ("owner", "payroll", "viewer", EMPLOYEE, NO_ROLE)
"""What an operator can give; the role `employee` comes with self-service."""
LEAST_PASSWORD_CHARACTERS = 12


@dataclass(frozen=True)
class NewAccount:
    """An account as it was made; the password is known here and nowhere later."""

    account_id: int
    user_id: int
    email: str
    password: str


async def create_account(database: Database, name: str, email: str, password: str | None = None) -> NewAccount:
    """Make an account with its first user; without a password one is generated."""
    errors = _faults_of_user(email, password)
    if not name.strip():
        errors.add("name", INVALID, reason="is required")
    if errors:
        raise ValidationError(errors)
    password = password or secrets.token_urlsafe(12)
    try:
        async with database.maintenance() as connection:
            ids = await repository.insert_account(connection, name, email, PasswordHasher().hash(password))
    except asyncpg.UniqueViolationError:
        raise Conflict(f"There is a user with the email {email} already") from None
    return NewAccount(*ids, email, password)


async def create_user(
    database: Database, by: str, email: str, name: str = "", password: str | None = None
) -> NewAccount:
    """Add a user, who has no role yet, to the account of another; without a password one is generated."""
    if errors := _faults_of_user(email, password):
        raise ValidationError(errors)
    password = password or secrets.token_urlsafe(12)
    try:
        async with database.maintenance() as connection:
            colleague = await _user(connection, by)
            hashed = PasswordHasher().hash(password)
            user_id = await repository.insert_user(connection, colleague.account_id, email, name, hashed)
    except asyncpg.UniqueViolationError:
        raise Conflict(f"There is a user with the email {email} already") from None
    return NewAccount(colleague.account_id, user_id, email, password)


async def set_role(database: Database, email: str, client_id: int, role: str, employee_id: int | None = None) -> None:
    """Give a user a role for a client of their account; `none` takes it away. It holds from the next request on.

    Whoever has the role employee is one of the client's, who sees their own record. The last owner stays one.
    """
    if role not in ROLES:
        raise invalid("role", INVALID, reason=f"{role!r} must be one of {', '.join(ROLES)}")
    if (role == EMPLOYEE) != (employee_id is not None):
        raise invalid(
            "employee", INVALID, reason=f"is {'required with' if role == EMPLOYEE else 'only for'} the role {EMPLOYEE}"
        )
    async with database.maintenance() as connection:
        user = await _user(connection, email)
        if not await repository.has_client(connection, user.account_id, client_id):
            raise invalid("client", INVALID, reason=f"the account of {email} has no client {client_id}")
        if employee_id is not None and not await repository.has_employee(connection, client_id, employee_id):
            raise invalid("employee", INVALID, reason=f"client {client_id} has no employee {employee_id}")
        if role != OWNER and await repository.is_only_owner(connection, client_id, user.user_id):
            raise Conflict(LAST_OWNER.format(email=email))
        await repository.set_role(connection, client_id, user.user_id, None if role == NO_ROLE else role, employee_id)


async def any_account(database: Database) -> bool:
    """Whether anyone uses this installation yet."""
    async with database.maintenance() as connection:
        return await repository.any_account(connection)


async def find_user(database: Database, email: str) -> Caller:
    """The user with this email, as a caller without a key."""
    async with database.maintenance() as connection:
        return await _user(connection, email)


async def create_key(
    database: Database,
    vault: Vault,
    email: str,
    *,
    name: str = "API key",
    client_ids: Sequence[int] = (),
    read_only: bool = False,
    hide_identifiers: bool = False,
    expires_at: datetime | None = None,
) -> str:
    """Make a key for a user and give its text, which is stored nowhere."""
    async with database.maintenance() as connection:
        owner = await _user(connection, email)
        foreign = set(client_ids) - await repository.member_clients(connection, owner.user_id)
        if foreign:
            raise invalid("client", INVALID, reason=f"{email} has no client {', '.join(map(str, sorted(foreign)))}")
        key = key_format.new_key()
        await repository.insert_key(
            connection,
            owner,
            name=name,
            key_hash=vault.api_key_hash(key),
            hint=key[-4:],
            client_ids=client_ids,
            read_only=read_only,
            hide_identifiers=hide_identifiers,
            expires_at=expires_at,
        )
    return key


async def list_keys(database: Database, email: str) -> list[asyncpg.Record]:
    """The keys of a user, newest first."""
    async with database.maintenance() as connection:
        owner = await _user(connection, email)
        return await repository.keys(connection, owner.user_id)


async def revoke_key(database: Database, key_id: int) -> None:
    """End a key now; from the next request on it is refused."""
    async with database.maintenance() as connection:
        if not await repository.revoke_key(connection, key_id):
            raise NotFound(f"There is no living key {key_id}")


async def authenticate(pool: Pool, vault: Vault, key: str) -> Caller | None:
    """Who a presented key stands for; nobody when it is malformed, unknown, revoked or expired."""
    if not key_format.is_well_formed(key):
        return None
    connection = await acquire(pool)
    try:
        return await repository.find_caller(connection, vault.api_key_hash(key))
    finally:
        pool.release(connection)


async def require_writer(tx: Transaction, client_id: int) -> None:
    """Refuse a caller who may not change this client: as not found when it may not see it either."""
    roles = tx.caller.roles
    if client_id not in roles:
        role = await repository.role(tx, client_id)
        if role is None:
            raise NotFound(f"There is no client {client_id}")
        roles[client_id] = role
    role = roles[client_id]
    if role not in WRITERS:
        raise Forbidden(f"The role {role} may read client {client_id} but not change it")


def require_administrator(tx: Transaction) -> None:
    """Refuse a caller who may not make clients."""
    if not tx.caller.administrator:
        raise Forbidden("Only an administrator of the account can create clients")
    if tx.caller.limited:
        raise Forbidden("This API key is limited to some clients and cannot create others")


async def _user(connection: asyncpg.Connection, email: str) -> Caller:
    user = await repository.find_user(connection, email)
    if user is None:
        raise NotFound(f"There is no user with the email {email}")
    return user


def _faults_of_user(email: str, password: str | None) -> Errors:
    errors = Errors()
    EMAIL.parse(email, "email", errors)
    if password is not None and len(password) < LEAST_PASSWORD_CHARACTERS:
        errors.add("password", INVALID, reason=f"must be at least {LEAST_PASSWORD_CHARACTERS} characters")
    return errors
