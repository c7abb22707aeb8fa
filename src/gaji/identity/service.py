"""Account use cases: create accounts, users and API keys, and authenticate and authorise callers."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.core.error_codes import NOT_ALLOWED, NOT_APPLICABLE, REQUIRED, REQUIRED_WHEN, UNKNOWN_ID
from gaji.core.errors import Conflict, ErrorCode, Errors, NotFound, ValidationError, invalid
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, Tenant, pooled_connection
from gaji.identity import key_format, repository
from gaji.identity.members import LAST_OWNER
from gaji.identity.password_rules import add_password_error
from gaji.identity.passwords import hash_password
from gaji.identity.repository import AccountUser, ApiKey
from gaji.identity.roles import EMPLOYEE, NO_ROLE, OWNER, ROLES
from gaji.identity.schemas import EMAIL
from gaji.mail import outbox

HINT_CHARACTERS = 4
"""The last characters of a key, stored so that users can recognise it."""

CLIENT_NOT_IN_ACCOUNT = ErrorCode("client_not_in_account", "the account of {email} has no client {id}")
USER_WITHOUT_ROLE = ErrorCode("user_without_role", "{email} has no role for client {client_ids}")


@dataclass(frozen=True)
class NewAccount:
    """An account or user that was just created. The password is not stored in plain text."""

    account_id: int
    user_id: int
    email: str
    password: str


async def create_account(database: Database, name: str, email: str, password: str | None = None) -> NewAccount:
    """Create an account with its first user. A missing password is generated."""
    _check_account(name, email, password)
    password = password or secrets.token_urlsafe(12)
    password_hash = await hash_password(password)
    try:
        async with database.maintenance() as connection:
            account_id, user_id = await repository.insert_account(connection, name, email, password_hash)
    except asyncpg.UniqueViolationError:
        raise email_taken(email) from None
    return NewAccount(account_id, user_id, email, password)


async def create_account_for_person(database: Database, name: str, email: str) -> int:
    """Create an account whose first user has another account, and the same sign-in. Return its ID. Raises NotFound."""
    _check_account(name, email, None)
    async with database.maintenance() as connection:
        home_user_id = await _find_person_with_password(connection, email)
        account_id = await repository.insert_empty_account(connection, name)
        user_id = await repository.link_user(connection, home_user_id, account_id)
        await repository.make_administrator(connection, user_id)
    return account_id


async def link_person(database: Database, by: str, email: str, account_id: int | None = None) -> int:
    """Add someone with another account to the account of the user `by`, without a role. The sign-in stays the same.

    Return the ID of the new user. Raises NotFound, and Conflict if the account has the person already.
    """
    async with database.maintenance() as connection:
        account_id = (await find_account_user(connection, by, account_id)).account_id
        if any(user.account_id == account_id for user in await repository.list_users(connection, email)):
            raise Conflict(f"The account already has a user with the email {email}")
        return await repository.link_user(connection, await _find_person_with_password(connection, email), account_id)


async def create_user(
    database: Database,
    by: str,
    email: str,
    name: str = "",
    password: str | None = None,
    account_id: int | None = None,
) -> NewAccount:
    """Add a user without a role to the account of the user `by`. A missing password is generated."""
    if errors := _user_errors(email, password, name):
        raise ValidationError(errors)
    password = password or secrets.token_urlsafe(12)
    password_hash = await hash_password(password)
    try:
        async with database.maintenance() as connection:
            colleague = await find_account_user(connection, by, account_id)
            user_id = await repository.insert_user(connection, colleague.account_id, email, name, password_hash)
    except asyncpg.UniqueViolationError:
        raise email_taken(email) from None
    return NewAccount(colleague.account_id, user_id, email, password)


async def set_password(database: Database, email: str, password: str | None = None) -> str:
    """Set the password of a user and return it. A missing password is generated. Their sessions go on."""
    if errors := _user_errors(email, password):
        raise ValidationError(errors)
    password = password or secrets.token_urlsafe(12)
    password_hash = await hash_password(password)
    async with database.maintenance() as connection:
        user_id = await _find_person(connection, email)
        await repository.set_password(connection, user_id, password_hash)
        await outbox.queue_security_notice(connection, user_id, outbox.SecurityNotice.PASSWORD_CHANGED)
    return password


async def set_role(database: Database, email: str, client_id: int, role: str, employee_id: int | None = None) -> None:
    """Set a user's role for a client of their account. `none` removes it. It applies from their next request.

    The role `employee` requires the ID of the user's employee record. The last owner of a client keeps the role.
    """
    if role not in ROLES:
        raise invalid("role", NOT_ALLOWED, allowed=ROLES)
    if role == EMPLOYEE and employee_id is None:
        raise invalid("employee", REQUIRED_WHEN, attribute="role", value=EMPLOYEE)
    if role != EMPLOYEE and employee_id is not None:
        raise invalid("employee", NOT_APPLICABLE, attribute="role", value=EMPLOYEE)
    async with database.maintenance() as connection:
        user = await _find_user_for_client(connection, email, client_id)
        if employee_id is not None and not await repository.has_employee(connection, client_id, employee_id):
            raise invalid("employee", UNKNOWN_ID, resource="employee", id=employee_id)
        if role != OWNER and await repository.is_only_owner(connection, client_id, user.user_id):
            raise Conflict(LAST_OWNER.format(email=email))
        await repository.set_role(connection, client_id, user.user_id, None if role == NO_ROLE else role, employee_id)


async def has_accounts(database: Database) -> bool:
    """Return whether the installation has any account."""
    async with database.maintenance() as connection:
        return await repository.has_accounts(connection)


async def find_user(database: Database, email: str, account_id: int | None = None) -> Caller:
    """Return a user as a caller without a key. Raises NotFound, and Conflict if several accounts have the email."""
    async with database.maintenance() as connection:
        return (await find_account_user(connection, email, account_id)).caller


async def find_person(database: Database, email: str) -> int:
    """Return the home user who signs in with an email. Raises NotFound."""
    async with database.maintenance() as connection:
        return await _find_person(connection, email)


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
    account_id: int | None = None,
) -> str:
    """Create a key for a user. Return its text, which is not stored."""
    async with database.maintenance() as connection:
        owner = (await find_account_user(connection, email, account_id)).caller
        if unknown := set(client_ids) - await repository.list_member_clients(connection, owner.user_id):
            raise invalid("client", USER_WITHOUT_ROLE, email=email, client_ids=sorted(unknown))
        key = key_format.generate_key()
        await repository.insert_key(
            connection,
            owner,
            name=name,
            key_hash=vault.api_key_hash(key),
            hint=key[-HINT_CHARACTERS:],
            client_ids=client_ids,
            read_only=read_only,
            hide_identifiers=hide_identifiers,
            expires_at=expires_at,
        )
    return key


async def list_keys(database: Database, email: str, account_id: int | None = None) -> list[ApiKey]:
    """Return the keys of a user, newest first."""
    async with database.maintenance() as connection:
        owner = await find_account_user(connection, email, account_id)
        return await repository.list_keys(connection, owner.user_id)


async def revoke_key(database: Database, key_id: int) -> None:
    """Revoke a key. It is rejected from the next request onwards. Raises NotFound."""
    async with database.maintenance() as connection:
        if not await repository.revoke_key(connection, key_id):
            raise key_not_found(key_id)


def key_not_found(key_id: int) -> NotFound:
    """Return the error for a key that cannot be revoked."""
    return NotFound(f"API key {key_id} does not exist or is already revoked")


async def authenticate(pool: Pool, vault: Vault, key: str) -> Caller | None:
    """Return the caller of a key, or None if the key is malformed, unknown, revoked or expired."""
    if not key_format.is_well_formed(key):
        return None
    async with pooled_connection(pool) as connection:
        return await repository.find_caller(connection, vault.api_key_hash(key))


async def read_caller(tenant: Tenant, rate_limit: int) -> bytes:
    """Return the caller with the account, the clients and the API key as JSON. A rate limit of 0 is none."""
    async with tenant.read_only() as tx:
        return await repository.load_caller_json(tx, rate_limit or None)


async def find_account_user(connection: asyncpg.Connection, email: str, account_id: int | None = None) -> AccountUser:
    """Return the user with an email who is not disabled, on a maintenance connection.

    Raises NotFound, and Conflict if several accounts have one and none is named.
    """
    users = [user for user in await repository.list_users(connection, email) if not user.disabled]
    users = [user for user in users if account_id in (None, user.account_id)]
    if not users:
        raise user_not_found(email, account_id)
    if len(users) > 1:
        accounts = ", ".join(f"{user.account_id} ({user.account_name})" for user in users)
        raise Conflict(f"{email} has a user in several accounts. Name one of them with --account: {accounts}")
    return users[0]


async def _find_user_for_client(connection: asyncpg.Connection, email: str, client_id: int) -> AccountUser:
    account_id = await repository.find_account_of_client(connection, client_id)
    users = [user for user in await repository.list_users(connection, email) if not user.disabled]
    if not users:
        raise user_not_found(email)
    for user in users:
        if user.account_id == account_id:
            return user
    raise invalid("client", CLIENT_NOT_IN_ACCOUNT, email=email, id=client_id)


async def _find_person(connection: asyncpg.Connection, email: str) -> int:
    user_id = await repository.find_person(connection, email)
    if user_id is None:
        raise user_not_found(email)
    return user_id


async def _find_person_with_password(connection: asyncpg.Connection, email: str) -> int:
    user_id = await _find_person(connection, email)
    if not await repository.has_password(connection, user_id):
        raise Conflict(f"{email} has no password, and signs in with single sign-on only")
    return user_id


def user_not_found(email: str, account_id: int | None = None) -> NotFound:
    """Return the error for an email that no user has, for operators."""
    return NotFound(f"No user has the email {email}" + (f" in account {account_id}" if account_id else ""))


def email_taken(email: str) -> Conflict:
    """Return the error for an email of another user, for operators."""
    return Conflict(f"The email {email} is already in use. To give its user access here too, add --existing-user")


def _check_account(name: str, email: str, password: str | None) -> None:
    errors = _user_errors(email, password, name)
    if not name.strip():
        errors.add("name", REQUIRED)
    if errors:
        raise ValidationError(errors)


def _user_errors(email: str, password: str | None, name: str = "") -> Errors:
    errors = Errors()
    EMAIL.parse(email, "email", errors)
    if password is not None:
        add_password_error("password", password, email, name, errors)
    return errors
