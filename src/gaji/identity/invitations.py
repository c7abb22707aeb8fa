"""Invitations: how owners add members, and how new users get a sign-in.

If mail is set up, the link is sent to the invited address and nobody else sees it. Otherwise the owner gets the link,
which is shown once, and passes it on. A link works once, within a week. `employee_invitations.py` invites many
employees, by mail or with printed codes.

Someone who has a sign-in already, because of a role in another account, signs in with it and then accepts. Nothing
tells the inviting owner whether there is such a sign-in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Conflict, ErrorCode, Errors, NotFound, ValidationError, invalid
from gaji.core.field_types import Text
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, Transaction, pooled_connection
from gaji.identity import invitation_repository as repository
from gaji.identity import member_repository, passwords, sessions, sign_in_limits
from gaji.identity.invitation_codes import parse_token
from gaji.identity.members import employee_exists_rule, lock_roles
from gaji.identity.password_rules import password_errors
from gaji.identity.schemas import EMAIL, NEW_MEMBER, NewMemberInput
from gaji.identity.sessions import SignedInUser
from gaji.mail import outbox

INVITATION_LIFETIME = timedelta(days=7)
MAX_PENDING = 1000
"""For one client, without employees."""
MAX_LISTED = 100
ROLE_WORDS = {"owner": "owner", "payroll": "payroll officer", "viewer": "viewer", "employee": "employee"}
NAME = Text(max_length=100)
INVITATION_ENDED = (
    "This invitation has been used or withdrawn, or is older than 7 days; ask the person who invited you for a new one"
)
EMAIL_NOT_USABLE = ErrorCode("email_not_usable", "has a password already; sign in with it, or enter another address")
EMAIL_UNAVAILABLE = "This email address has a password already; sign in with it to accept the invitation"
REFUSALS = {
    "another": "This invitation is for another email address than yours",
    "taken": "This account already has another user with your email address; ask the person who invited you",
    "disabled": "You can no longer use this account; ask the person who invited you",
    "member": "You already have a role for this company; ask the person who invited you to change it",
}
"""Why an invitation cannot be accepted by someone who is signed in, by outcome."""

USER_DISABLED = ErrorCode("user_disabled", "belongs to a user who can no longer sign in")
ALREADY_MEMBER = ErrorCode("already_member", "already has a role for this company; change it in the list")


@dataclass(frozen=True)
class PendingInvitation:
    """An unused invitation."""

    id: int
    email: str
    """Empty if the employee enters one."""
    name: str
    """Of an employee who was invited in bulk, or else empty."""
    role: str
    employee_id: int | None
    invited_by: str
    expires_at: datetime

    @property
    def expired(self) -> bool:
        """Whether the link no longer works."""
        return self.expires_at <= datetime.now(UTC)


@dataclass(frozen=True)
class Invitation:
    """An invitation, as it is shown to the invited person."""

    email: str | None
    """None if the invited person enters one."""
    role: str
    name: str
    company: str
    known: bool
    """Whether the account already has a user with this email, who needs no new password."""
    sign_in_key: str | None
    """Of the address for single sign-on, if the account has it."""
    single_sign_on_required: bool
    """Whether the account requires it for this role."""


async def list_pending_invitations(tenant: Tenant, client_id: int) -> list[PendingInvitation]:
    """Return the first unused invitations of a client, those of employees last."""
    async with tenant.read_only() as tx:
        return [PendingInvitation(**row) for row in await repository.list_pending(tx, client_id, MAX_LISTED)]


@dataclass(frozen=True)
class NewInvitation:
    """An invitation that was just made."""

    recipient: str
    """The email, or the name of an employee without one."""
    token: str | None
    """None if it was sent by mail."""


async def add_member(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> NewInvitation | None:
    """Give a user of the account a role, or invite a new user. Return the invitation, if any."""
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        member = NEW_MEMBER.parse_create(body, await employee_exists_rule(tx, client_id, body)).data
        user = await repository.find_user(tx, member.email)
        if user is None:
            return await _invite(tx, client_id, member)
        if user["disabled"]:
            raise invalid("email", USER_DISABLED)
        if await member_repository.find_member(tx, client_id, user["id"]):
            raise invalid("email", ALREADY_MEMBER)
        await member_repository.set_role(tx, client_id, user["id"], member.role, member.employee_id)
        await repository.delete_invitation_for(tx, client_id, member.email)
        return None


async def renew_invitation(tenant: Tenant, client_id: int, invitation_id: int) -> NewInvitation:
    """Replace the link of an invitation. The old link stops working."""
    link = outbox.MailedLink(tenant.vault)
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        token_hash = sessions.hash_token(link.token)
        row = await repository.renew_invitation(tx, client_id, invitation_id, token_hash, INVITATION_LIFETIME)
        if row is None:
            raise _not_found(invitation_id)
        if not row["email"]:
            return NewInvitation(row["name"], link.token)
        return await _deliver(tx, client_id, invitation_id, row["email"], row["role"], link)


async def withdraw_invitation(tenant: Tenant, client_id: int, invitation_id: int) -> None:
    """Delete an unused invitation."""
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        if not await repository.delete_invitation(tx, client_id, invitation_id):
            raise _not_found(invitation_id)


async def find_invitation(pool: Pool, token: str) -> Invitation:
    """Return an invitation. Raises NotFound if it no longer works."""
    async with pooled_connection(pool) as connection:
        row = await repository.find_invitation(connection, sessions.hash_token(parse_token(token)))
    if row is None:
        raise NotFound(INVITATION_ENDED)
    return Invitation(**row)


async def accept_invitation(pool: Pool, vault: Vault, token: str, typed: Mapping[str, str], address: str) -> str | None:
    """Use an invitation. Return the token of a session for a new user; users of the account sign in as usual.

    Raises Conflict if the new user must sign in with single sign-on, which accepts the invitation too, and if the email
    has a password already. Such attempts count like failed sign-ins from the network address: raises TooManyRequests.
    """
    invitation = await find_invitation(pool, token)
    _require_local(invitation)
    name, password = typed.get("name", "").strip(), typed.get("new", "")
    email = invitation.email or typed.get("email", "").strip()
    if not invitation.known:
        _check_new_user(email, name, password, typed.get("again", ""))
    password_hash = "" if invitation.known else await passwords.hash_password(password)
    token_hash = sessions.hash_token(parse_token(token))
    by_address = sign_in_limits.address_limit(vault, address)
    if not invitation.known:
        async with pooled_connection(pool) as connection:
            await sign_in_limits.record_attempt(connection, by_address.subject, [by_address])
    try:
        async with pooled_connection(pool) as connection:
            row = await repository.accept_invitation(connection, token_hash, name, email, password_hash)
            if row is None:
                raise NotFound(INVITATION_ENDED)
            if not row["is_new"]:
                return None
            subjects = [sign_in_limits.account_subject(vault, email)]
            arguments = row["user_id"], password_hash, subjects, by_address.subject
            return (await sessions.begin_session(connection, *arguments)).token
    except asyncpg.UniqueViolationError:
        if invitation.email is None:
            raise invalid("email", EMAIL_NOT_USABLE) from None
        raise Conflict(EMAIL_UNAVAILABLE) from None


async def accept_as_signed_in(pool: Pool, token: str, session_token: str) -> int:
    """Use an invitation as the signed-in person, who gets a user in the account. Return the account.

    Raises NotFound, and Conflict if the invitation is not for this person or needs single sign-on.
    """
    _require_local(await find_invitation(pool, token))
    hashes = sessions.hash_token(parse_token(token)), sessions.hash_token(session_token)
    try:
        async with pooled_connection(pool) as connection:
            row = await repository.accept_invitation_as(connection, *hashes)
    except asyncpg.UniqueViolationError:
        raise Conflict(REFUSALS["taken"]) from None
    if row is None:
        raise NotFound(INVITATION_ENDED)
    if row["outcome"] in REFUSALS:
        raise Conflict(REFUSALS[row["outcome"]])
    account_id: int = row["account_id"]
    return account_id


def is_for(invitation: Invitation, user: SignedInUser | None) -> bool:
    """Return whether a signed-in user can accept an invitation as they are."""
    if user is None or user.method != sessions.LOCAL:
        return False
    return invitation.email is None or invitation.email.lower() == user.email.lower()


def _require_local(invitation: Invitation) -> None:
    """Raise Conflict if a new user must sign in with single sign-on."""
    if invitation.single_sign_on_required and not invitation.known:
        raise sessions.single_sign_on_required("you need no password. Continue with single sign-on")


def _check_new_user(email: str, name: str, password: str, again: str) -> None:
    errors = Errors()
    NAME.parse(name, "name", errors)
    if email:
        EMAIL.parse(email, "email", errors)
    else:
        errors.add("email", REQUIRED)
    errors |= password_errors(password, again, email, name)
    if errors:
        raise ValidationError(errors)


async def _invite(tx: Transaction, client_id: int, member: NewMemberInput) -> NewInvitation:
    if await repository.count_pending(tx, client_id) >= MAX_PENDING:
        raise Conflict(f"A company can have {MAX_PENDING} pending invitations; withdraw some first")
    link = outbox.MailedLink(tx.vault)
    token_hash = sessions.hash_token(link.token)
    invitation_id = await repository.insert_invitation(tx, client_id, member, token_hash, INVITATION_LIFETIME)
    return await _deliver(tx, client_id, invitation_id, member.email, member.role, link)


async def _deliver(
    tx: Transaction, client_id: int, invitation_id: int, email: str, role: str, link: outbox.MailedLink
) -> NewInvitation:
    """Send the link to the invited address if mail is set up, or else return it."""
    if not outbox.is_mail_set_up():
        return NewInvitation(email, link.token)
    await send_invitations(tx, client_id, role, {invitation_id: link})
    return NewInvitation(email, None)


async def send_invitations(tx: Transaction, client_id: int, role: str, links: Mapping[int, outbox.MailedLink]) -> None:
    """Queue the messages of invitations for a role, by ID."""
    row = await repository.load_names(tx, client_id)
    await outbox.queue_invitations(tx, client_id, links, row["company"], ROLE_WORDS[role], row["inviter"])


def _not_found(invitation_id: int) -> NotFound:
    return NotFound(f"Invitation {invitation_id} does not exist")
