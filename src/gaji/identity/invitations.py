"""Invitations: how owners bring people in, and how someone new gets a sign-in.

Gaji sends no mail. Whoever invites someone new gets a link, shown once, and passes it on; it works once, for a week.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from gaji.core.errors import INVALID, Conflict, Errors, NotFound, ValidationError, invalid
from gaji.core.validation import Text
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity import passwords, sessions
from gaji.identity import login_throttle
from gaji.identity import invitation_repository as store
from gaji.identity.members import begin_giving, possible_employee
from gaji.identity.member_repository import member, set_role
from gaji.identity.schemas import NEW_MEMBER

LASTING = timedelta(days=7)
MOST_WAITING = 1000
"""Of one client; nobody invites more people one by one."""
NAME = Text(max_length=100)
GONE = "This invitation was used, withdrawn, or is older than 7 days; ask whoever invited you for a new one"
TAKEN = "This email address cannot be used here; ask whoever invited you to invite you with another one"


@dataclass(frozen=True)
class Waiting:
    """An invitation that nobody has used yet."""

    id: int
    email: str
    role: str
    employee_id: int | None
    by: str
    """Who made it."""
    expires_at: datetime

    @property
    def expired(self) -> bool:
        """Whether its link works no longer."""
        return self.expires_at <= datetime.now(UTC)


@dataclass(frozen=True)
class Invitation:
    """What whoever has the link is told."""

    email: str
    role: str
    company: str
    known: bool
    """Whether there is a user with this email in the account, who needs no password."""


async def list_waiting(tenant: Tenant, client_id: int) -> list[Waiting]:
    """The invitations of a client that nobody has used yet, by email."""
    async with tenant.reading() as tx:
        return [Waiting(*row) for row in await store.waiting(tx, client_id)]


async def bring_in(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> str | None:
    """Give a user of the account a role, or invite someone new: then this is the token of the link."""
    async with tenant.transaction() as tx:
        await begin_giving(tx, client_id)
        record = NEW_MEMBER.parse_create(body, await possible_employee(tx, client_id, body)).record
        known = await store.user(tx, record["email"])
        if known is None:
            return await _invited(tx, client_id, record)
        if known["disabled"]:
            raise invalid("email", INVALID, reason="is of someone who may not sign in any more")
        if await member(tx, client_id, known["id"]):
            raise invalid("email", INVALID, reason="has a role for this company already; change it in the list")
        await set_role(tx, client_id, known["id"], record["role"], record["employee_id"])
        await store.withdraw_for(tx, client_id, record["email"])
        return None


async def renew(tenant: Tenant, client_id: int, invitation_id: int) -> tuple[str, str]:
    """A new link for an invitation: whom it is for, and its token. The link before works no longer."""
    token = secrets.token_urlsafe(32)
    async with tenant.transaction() as tx:
        await begin_giving(tx, client_id)
        email = await store.renew(tx, client_id, invitation_id, sessions.hash_of(token), LASTING)
        if email is None:
            raise _missing(invitation_id)
        return email, token


async def withdraw(tenant: Tenant, client_id: int, invitation_id: int) -> None:
    """End an invitation that nobody has used yet."""
    async with tenant.transaction() as tx:
        await begin_giving(tx, client_id)
        if not await store.withdraw(tx, client_id, invitation_id):
            raise _missing(invitation_id)


async def look(pool: Pool, token: str) -> Invitation:
    """What an invitation says; raises NotFound for one that works no longer."""
    async with sessions.connected(pool) as connection:
        row = await store.find(connection, sessions.hash_of(token))
    if row is None:
        raise NotFound(GONE)
    return Invitation(*row)


async def accept(pool: Pool, vault: Vault, token: str, typed: Mapping[str, str]) -> str | None:
    """Use an invitation. Someone new is signed in: this is the token of the session; others sign in as ever."""
    invitation = await look(pool, token)
    name, password = typed.get("name", "").strip(), typed.get("new", "")
    if not invitation.known:
        _check(name, password, typed.get("again", ""))
    hashed = "" if invitation.known else await passwords.hashed(password)
    try:
        async with sessions.connected(pool) as connection:
            row = await store.accept(connection, sessions.hash_of(token), name, hashed)
            if row is None:
                raise NotFound(GONE)
            if not row["is_new"]:
                return None
            subjects = [login_throttle.of_email(vault, invitation.email)]
            return (await sessions.begin(connection, row["user_id"], hashed, subjects)).token
    except asyncpg.UniqueViolationError:
        raise Conflict(TAKEN) from None


def _check(name: str, password: str, again: str) -> None:
    errors: Errors = Errors()
    NAME.parse(name, "name", errors)
    errors |= sessions.faults_of_password(password, again)
    if errors:
        raise ValidationError(errors)


async def _invited(tx: Transaction, client_id: int, record: Mapping[str, Any]) -> str:
    if await store.count(tx, client_id) >= MOST_WAITING:
        raise Conflict(f"There are {MOST_WAITING} invitations that nobody has used; withdraw some of them first")
    token = secrets.token_urlsafe(32)
    await store.insert(tx, client_id, record, sessions.hash_of(token), LASTING)
    return token


def _missing(invitation_id: int) -> NotFound:
    return NotFound(f"There is no invitation {invitation_id}")
