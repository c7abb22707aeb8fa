"""Change of email. The new address is confirmed before it takes effect.

If mail is set up, a link is sent to the new address. Otherwise an owner makes a code and hands it over, as with
invitations. Nothing tells whether another user has the new address: that user gets a message instead of the link.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from gaji.core.errors import Conflict, ErrorCode, Errors, NotFound, ValidationError, invalid
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, pooled_connection
from gaji.identity import email_change_repository as repository
from gaji.identity import members, service, sessions, sign_in_limits
from gaji.identity import repository as identity_repository
from gaji.identity.invitation_codes import format_code, new_code, parse_token
from gaji.identity.schemas import EMAIL
from gaji.identity.sessions import WRONG_PASSWORD, SignedInUser, hash_token
from gaji.identity.sign_in_limits import AttemptLimit
from gaji.mail import outbox

LINK_LIFETIME = timedelta(days=1)
"""Of links and codes."""
WAITING_LIFETIME = timedelta(days=7)
"""Of a request until an owner makes a code."""
MAX_REQUESTS = 5
"""Of one user. After these, requests must wait."""
CHANGE_ENDED = "This link or code has been used or replaced, is older than a day, or the address cannot be used"
NO_CODE = "{email} has not asked for a new email address, or only an administrator of the account can make a code"

EMAIL_UNCHANGED = ErrorCode("email_unchanged", "is your address already")


@dataclass(frozen=True)
class PendingEmailChange:
    """A change that is not confirmed yet."""

    new_email: str
    mailed: bool
    """Whether a link was sent to the new address. Otherwise an owner makes a code."""
    expires_at: datetime


@dataclass(frozen=True)
class EmailChange:
    """The change of a link or code that works."""

    user_id: int
    email: str
    """The current one."""
    new_email: str


@dataclass(frozen=True)
class NewEmailCode:
    """A code that was just made. It is not stored."""

    code: str
    new_email: str


async def request_change(pool: Pool, vault: Vault, user: SignedInUser, new_email: str) -> None:
    """Send a link to the new address, or wait for an owner's code. Replaces an earlier request.

    Raises ValidationError and TooManyRequests. Raises Conflict in a session that may not change the sign-in, and
    without mail for users with several accounts, because owners of one account cannot make codes for them.
    """
    sessions.require_own_session(user)
    new_email = _parse_email(new_email, user.email)
    if user.accounts and not outbox.is_mail_set_up():
        raise Conflict("You have access to several accounts, so ask the person who runs this server to change it")
    subject = vault.lookup_hash("email change", str(user.home_user_id))
    async with pooled_connection(pool) as connection:
        limits = [AttemptLimit(subject, MAX_REQUESTS)]
        await sign_in_limits.record_attempt(connection, subject, limits, "requests")
        if not outbox.is_mail_set_up():
            await outbox.request_email_change(connection, user.home_user_id, new_email, None, None, WAITING_LIFETIME)
            return
        link = outbox.MailedLink(vault)
        arguments = user.home_user_id, new_email, link, hash_token(link.token), LINK_LIFETIME
        await outbox.request_email_change(connection, *arguments)


async def find_own(pool: Pool, user: SignedInUser) -> PendingEmailChange | None:
    """Return the change that the signed-in user has asked for."""
    async with pooled_connection(pool) as connection:
        row = await repository.find_own(connection, user.home_user_id)
    return PendingEmailChange(**row) if row else None


async def find_pending(tenant: Tenant, user_id: int) -> PendingEmailChange | None:
    """Return the change of a member for whom the caller may make a code."""
    async with tenant.read_only() as tx:
        row = await repository.find_pending(tx, user_id)
    return PendingEmailChange(**row) if row else None


async def cancel_change(pool: Pool, user: SignedInUser) -> None:
    """Withdraw the request of the signed-in user. Its link or code no longer works."""
    sessions.require_own_session(user)
    async with pooled_connection(pool) as connection:
        await repository.cancel(connection, user.home_user_id)


async def create_code(tenant: Tenant, client_id: int, user_id: int) -> NewEmailCode:
    """Make a code for the change that a member asked for. Raises Conflict if there is none that the caller may confirm.

    The same users may make it as may make a password link: those who own all companies of the member.
    """
    code = new_code()
    async with tenant.transaction() as tx:
        await members.lock_roles(tx, client_id, "make codes")
        member = await members.require_member(tx, client_id, user_id)
        new_email = await repository.create_code(tx, user_id, hash_token(code), LINK_LIFETIME)
        if new_email is None:
            raise Conflict(NO_CODE.format(email=member.email))
    return NewEmailCode(format_code(code), new_email)


async def find_change(pool: Pool, token: str) -> EmailChange:
    """Return the change of a link or code. Raises NotFound if it does not work."""
    async with pooled_connection(pool) as connection:
        row = await repository.find_change(connection, hash_token(parse_token(token)))
    if row is None:
        raise NotFound(CHANGE_ENDED)
    return EmailChange(**row)


async def confirm_change(
    pool: Pool, vault: Vault, token: str, user: SignedInUser | None, session_token: str, password: str
) -> EmailChange:
    """Change the email. All other sessions and all links of the user end, and the old address gets a message.

    A caller who is not signed in as the user must enter the user's password. Raises NotFound, also if another user has
    the address by now, ValidationError, TooManyRequests, and Conflict if single sign-on is required.
    """
    change = await find_change(pool, token)
    if user is None or not is_own_change(user, change):
        await _check_password(pool, vault, change, password)
    token_hash, kept_session_hash = hash_token(parse_token(token)), hash_token(session_token)
    async with pooled_connection(pool) as connection, connection.transaction():
        is_changed = await outbox.use_email_change(connection, token_hash, change.user_id, kept_session_hash)
    if not is_changed:
        raise NotFound(CHANGE_ENDED)
    return change


def is_own_change(user: SignedInUser, change: EmailChange) -> bool:
    """Return whether a signed-in user asked for a change, and needs no password to confirm it."""
    return user.home_user_id == change.user_id and user.can_change_sign_in


async def change_as_operator(database: Database, email: str, new_email: str) -> None:
    """Change the email of a user at once. Their sessions and links end. Raises Conflict if the new one is taken."""
    new_email = _parse_email(new_email, email)
    user_id = await service.find_person(database, email)
    try:
        async with database.maintenance() as connection:
            await outbox.queue_email_changed(connection, user_id)
            await repository.set_email(connection, user_id, new_email)
            await identity_repository.delete_sessions(connection, user_id)
    except asyncpg.UniqueViolationError:
        raise Conflict(f"The email {new_email} is already in use") from None


async def _check_password(pool: Pool, vault: Vault, change: EmailChange, password: str) -> None:
    subject = sign_in_limits.confirmation_subject(vault, change.user_id)
    password_hash = await sessions.verified_password_hash(pool, change.user_id, password, [subject])
    if password_hash is None:
        raise ValidationError(Errors.single("password", WRONG_PASSWORD))
    async with pooled_connection(pool) as connection:
        await sessions.require_local_sign_in(connection, change.user_id)


def _parse_email(new_email: str, current: str) -> str:
    errors, new_email = Errors(), new_email.strip()
    EMAIL.parse(new_email, "email", errors)
    if errors:
        raise ValidationError(errors)
    if new_email.lower() == current.lower():
        raise invalid("email", EMAIL_UNCHANGED)
    return new_email
