"""Links with which a user who has forgotten the password sets a new one. A link works once, within a day.

The token of a link that an owner makes is a code that can be printed and typed, as for invitations.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

import asyncpg

from gaji.core.errors import Conflict, Forbidden, NotFound, ValidationError
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, pooled_connection
from gaji.identity import members, passwords, service, session_repository, sessions, sign_in_limits
from gaji.identity import password_reset_repository as repository
from gaji.identity.invitation_codes import new_code, parse_token
from gaji.identity.mail_requests import queue_on_request
from gaji.identity.password_reset_repository import UserOfLink
from gaji.identity.password_rules import password_errors
from gaji.identity.sessions import NewSession
from gaji.mail import outbox

RESET_LIFETIME = timedelta(days=1)
ONLY_ADMINISTRATOR = "Only an administrator of the account can reset the password of {email}"
ONLY_OPERATOR = "The password of {email} cannot be reset here. They can ask the person who runs this server for a link"
RESET_ENDED = "This link or code has been used or replaced, or is older than a day; ask for a new one"


async def create_reset(tenant: Tenant, client_id: int, user_id: int) -> str:
    """Make a code for a member of a client. Return it. Raises Forbidden for those whom the caller may not reset.

    Anyone with the code can see everything that the user can see. The user must have no role for a company that the
    caller does not own, and none in another account.
    """
    token = new_code()
    async with tenant.transaction() as tx:
        await members.lock_roles(tx, client_id)
        member = await members.require_member(tx, client_id, user_id)
        if user_id == tx.caller.user_id:
            raise Conflict("To change your own password, use the page Password")
        if member.disabled:
            raise Conflict(f"{member.email} can no longer sign in")
        if await session_repository.requires_single_sign_on(tx.connection, user_id):
            raise Conflict(f"{member.email} must sign in with single sign-on, so there is no password to set")
        if not await repository.create_for_member(tx, user_id, sessions.hash_token(token), RESET_LIFETIME):
            sentence = ONLY_OPERATOR if tx.caller.administrator else ONLY_ADMINISTRATOR
            raise Forbidden(sentence.format(email=member.email))
    return token


async def list_without_password(tenant: Tenant, user_ids: Sequence[int]) -> frozenset[int]:
    """Return the users who must sign in with single sign-on, so that they have no password to set."""
    if not user_ids:
        return frozenset()
    async with tenant.read_only() as tx:
        return await session_repository.list_single_sign_on_only(tx.connection, user_ids)


async def create_reset_as_operator(database: Database, email: str) -> str:
    """Make a link for a user. Return its token. Raises Conflict if the user must sign in with single sign-on."""
    token = secrets.token_urlsafe(32)
    user_id = await service.find_person(database, email)
    async with database.maintenance() as connection:
        if await session_repository.requires_single_sign_on(connection, user_id):
            raise Conflict(
                f"{email} must sign in with single sign-on; lift that with `gaji account sso-optional` first"
            )
        await repository.create_by_operator(connection, user_id, sessions.hash_token(token), RESET_LIFETIME)
    return token


async def request_reset(pool: Pool, vault: Vault, email: str, address: str) -> None:
    """Send a link to a user who has forgotten the password. Nothing tells whether there is such a user.

    Users who must sign in with single sign-on get the address to do so.
    Raises TooManyRequests.
    """

    async def queue(connection: asyncpg.Connection, address_of_user: str) -> None:
        link = outbox.MailedLink(vault)
        token_hash = sessions.hash_token(link.token)
        if not await outbox.queue_password_reset(connection, address_of_user, link, token_hash, RESET_LIFETIME):
            await outbox.queue_sign_in_address(connection, address_of_user)

    await queue_on_request(pool, vault, email, address, queue)


async def find_user(pool: Pool, token: str) -> UserOfLink:
    """Return the user of a link. Raises NotFound if the link does not work."""
    async with pooled_connection(pool) as connection:
        user = await repository.find_user(connection, sessions.hash_token(parse_token(token)))
    if user is None:
        raise NotFound(RESET_ENDED)
    return user


async def use_reset(pool: Pool, vault: Vault, token: str, typed: Mapping[str, str]) -> NewSession:
    """Set the password. All sessions of the user end, and a new one begins: a partial one with a second factor."""
    user = await find_user(pool, token)
    new = typed.get("new", "")
    if errors := password_errors(new, typed.get("again", ""), user.email, user.name):
        raise ValidationError(errors)
    password_hash = await passwords.hash_password(new)
    async with pooled_connection(pool) as connection, connection.transaction():
        user_id = await repository.use(connection, sessions.hash_token(parse_token(token)), password_hash)
        if user_id is None:
            raise NotFound(RESET_ENDED)
        await outbox.queue_security_notice(connection, user_id, outbox.SecurityNotice.PASSWORD_CHANGED)
        subjects = [sign_in_limits.account_subject(vault, user.email)]
        return await sessions.begin_session(connection, user_id, password_hash, subjects)
