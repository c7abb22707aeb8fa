"""Signing in to the console, being signed in, and changing one's password."""

import hashlib
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, acquire
from gaji.identity import passwords
from gaji.identity import login_throttle
from gaji.identity import session_repository as store
from gaji.identity.schemas import MOST_EMAIL_CHARACTERS
from gaji.identity.service import LEAST_PASSWORD_CHARACTERS

LASTING = timedelta(hours=12)
"""A working day: who signs in in the morning signs in again the next."""
HALF_LASTING = timedelta(minutes=5)
"""From the password to the code."""
WRONG = "The email or the password is not right"


@dataclass(frozen=True)
class Person:
    """Someone who is signed in."""

    caller: Caller
    email: str
    name: str
    account_name: str

    @property
    def shown(self) -> str:
        """What they are called."""
        return self.name or self.email


@dataclass(frozen=True)
class Attempt:
    """What someone tries to sign in with, and where they are."""

    email: str
    password: str
    address: str


@dataclass(frozen=True)
class Begun:
    """A session that began; its token is stored nowhere."""

    token: str
    half: bool
    """Whether it is only good for giving a code, which makes it whole."""


async def sign_in(pool: Pool, vault: Vault, attempt: Attempt) -> Begun:
    """Begin a session, a half one for those who sign in with two steps; raises Invalid and TooManyRequests."""
    email = attempt.email.strip()[:MOST_EMAIL_CHARACTERS]
    by_email = login_throttle.of_email(vault, email)
    by_address = login_throttle.of_address(vault, attempt.address)
    async with connected(pool) as connection:
        await login_throttle.note(connection, [by_email], by_address)
        # What PostgreSQL makes small letters of in its own way would be counted apart; and zero is no character to it.
        known = await store.password(connection, email) if email.isascii() and email.isprintable() else None
    # Someone unknown takes as long as someone known: the time must not tell which emails there are.
    fits = await passwords.fits(known["password_hash"] if known else passwords.nobodys_hash(), attempt.password)
    if known is None or not fits:
        raise ValidationError(Errors.single("password", INVALID, reason=WRONG), WRONG)
    async with connected(pool) as connection:
        return await begin(connection, known["user_id"], known["password_hash"], [by_email], by_address)


async def find(pool: Pool, token: str) -> Person | None:
    """Who is signed in with this token, if anyone is."""
    async with connected(pool) as connection:
        row = await store.find(connection, hash_of(token))
    return Person(Caller(*row[:4]), row["email"], row["name"], row["account_name"]) if row else None


async def sign_out(pool: Pool, token: str) -> None:
    """End the session of this token."""
    async with connected(pool) as connection:
        await store.end(connection, hash_of(token))


async def change_password(pool: Pool, vault: Vault, person: Person, current: str, new: str, again: str) -> str:
    """Change one's password: every session ends, and a new one begins, whose token this gives."""
    by_email = login_throttle.of_email(vault, person.email)
    checked_hash = await checked_password(pool, person, current, [by_email])
    errors = faults_of_password(new, again)
    if new == current:
        errors.setdefault("new", "must differ from your current password")
    if checked_hash is None:
        errors.add("current", INVALID, reason="is not your password")
    if checked_hash is None or errors:
        raise ValidationError(errors)
    user_id, hashed = person.caller.user_id, await passwords.hashed(new)
    async with connected(pool) as connection:
        if not await store.change_password(connection, user_id, checked_hash, hashed):
            raise changed_elsewhere()
        return (await begin(connection, user_id, hashed, [by_email], code_given=True)).token


async def checked_password(pool: Pool, person: Person, password: str, subjects: Sequence[bytes]) -> str | None:
    """The hash of someone's password, if this is it; the attempt is noted by these subjects."""
    async with connected(pool) as connection:
        await login_throttle.note(connection, subjects)
        known = await store.password(connection, person.email)
    return known["password_hash"] if known and await passwords.fits(known["password_hash"], password) else None


async def begin(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    subjects: Sequence[bytes],
    address: bytes | None = None,
    *,
    code_given: bool = False,
) -> Begun:
    """Begin a session and forget the attempts of these subjects; raises Conflict for a password of the past."""
    token = secrets.token_urlsafe(32)
    half = await store.begin(
        connection, user_id, password_hash, code_given, hash_of(token), LASTING, HALF_LASTING, subjects, address
    )
    if half is None:
        raise changed_elsewhere()
    return Begun(token, half)


def hash_of(token: str) -> bytes:
    """What is kept of a token; it is random enough for a hash without a key."""
    return hashlib.sha256(token.encode()).digest()


def changed_elsewhere() -> Conflict:
    """The refusal of what was checked against a password that is another one by now."""
    return Conflict("Your password has just been changed elsewhere; please sign in again")


@asynccontextmanager
async def connected(pool: Pool) -> AsyncIterator[asyncpg.Connection]:
    """A connection in nobody's tenancy."""
    connection = await acquire(pool)
    try:
        yield connection
    finally:
        pool.release(connection)


def faults_of_password(new: str, again: str) -> dict[str, str]:
    """What is wrong with a password that was typed twice."""
    errors: dict[str, str] = {}
    if len(new) < LEAST_PASSWORD_CHARACTERS:
        errors.add("new", INVALID, reason=f"must be at least {LEAST_PASSWORD_CHARACTERS} characters")
    elif len(new) > passwords.MOST_CHARACTERS:
        errors.add("new", INVALID, reason=f"must be at most {passwords.MOST_CHARACTERS} characters")
    if new != again:
        errors.add("again", INVALID, reason="is not the same as the new password")
    return errors
