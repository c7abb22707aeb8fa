"""Signing in to the console, being signed in, and changing one's password."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

import asyncpg
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from gaji.accounts import session_store as store
from gaji.accounts.rules import MOST_EMAIL_CHARACTERS
from gaji.accounts.service import LEAST_PASSWORD_CHARACTERS
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, acquire
from gaji.errors import Conflict, Invalid, TooManyRequests
from gaji.vault import Vault

LASTING = timedelta(hours=12)
"""A working day: who signs in in the morning signs in again the next."""
COUNTED = timedelta(minutes=15)
MOST_FAILURES = 10
"""Of one email in the time that counts."""
MOST_FAILURES_OF_ADDRESS = 50
"""Of one address, which an office shares."""
MOST_PASSWORD_CHARACTERS = 1000
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


async def sign_in(pool: Pool, vault: Vault, attempt: Attempt) -> str:
    """Begin a session and give its token, which is stored nowhere; raises Invalid and TooManyRequests."""
    email = attempt.email.strip()[:MOST_EMAIL_CHARACTERS]
    by_email = _email_hash(vault, email)
    by_address = vault.lookup_hash("sign-in address", attempt.address)
    async with connection_of(pool) as connection:
        tries, tries_of_address = await store.begin_sign_in(connection, [by_email, by_address], COUNTED)
        if tries > MOST_FAILURES or tries_of_address > MOST_FAILURES_OF_ADDRESS:
            raise _too_many()
        # What PostgreSQL makes small letters of in its own way would be counted apart; and zero is no character to it.
        known = await store.password(connection, email) if email.isascii() and email.isprintable() else None
    # Someone unknown takes as long as someone known: the time must not tell which emails there are.
    fits = await _fits(known["password_hash"] if known else _nobodys_hash(), attempt.password)
    if known is None or not fits:
        raise Invalid({"password": WRONG}, WRONG)
    async with connection_of(pool) as connection:
        return await _begin(connection, known["user_id"], known["password_hash"], by_email, by_address)


async def find(pool: Pool, token: str) -> Person | None:
    """Who is signed in with this token, if anyone is."""
    async with connection_of(pool) as connection:
        row = await store.find(connection, hash_of(token))
    return Person(Caller(*row[:4]), row["email"], row["name"], row["account_name"]) if row else None


async def sign_out(pool: Pool, token: str) -> None:
    """End the session of this token."""
    async with connection_of(pool) as connection:
        await store.end(connection, hash_of(token))


async def change_password(pool: Pool, vault: Vault, person: Person, current: str, new: str, again: str) -> str:
    """Change one's password: every session ends, and a new one begins, whose token this gives."""
    by_email = _email_hash(vault, person.email)
    async with connection_of(pool) as connection:
        [tries] = await store.begin_sign_in(connection, [by_email], COUNTED)
        if tries > MOST_FAILURES:
            raise _too_many()
        known = await store.password(connection, person.email)
    faults = faults_of_password(new, again)
    if new == current:
        faults.setdefault("new", "must differ from your current password")
    if known is None or not await _fits(known["password_hash"], current):
        faults["current"] = "is not your password"
    if known is None or faults:
        raise Invalid(faults)
    hashed = await asyncio.to_thread(PasswordHasher().hash, new)
    async with connection_of(pool) as connection:
        if not await store.change_password(connection, known["user_id"], known["password_hash"], hashed):
            raise Conflict("Your password has just been changed elsewhere; please sign in again")
        return await _begin(connection, known["user_id"], hashed, by_email)


def _email_hash(vault: Vault, email: str) -> bytes:
    return vault.lookup_hash("sign-in email", email.lower())


async def begin(connection: asyncpg.Connection, vault: Vault, user_id: int, password_hash: str, email: str) -> str:
    """Begin the session of someone who has just chosen this password, and give its token."""
    return await _begin(connection, user_id, password_hash, _email_hash(vault, email))


def hash_of(token: str) -> bytes:
    """What is kept of a token; it is random enough for a hash without a key."""
    return hashlib.sha256(token.encode()).digest()


async def _begin(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    email: bytes,
    address: bytes | None = None,
) -> str:
    """Begin a session; raises Conflict when the password is another one by now."""
    token = secrets.token_urlsafe(32)
    if not await store.begin(connection, user_id, password_hash, hash_of(token), LASTING, email, address):
        raise Conflict("Your password has just been changed elsewhere; please sign in again")
    return token


def faults_of_password(new: str, again: str) -> dict[str, str]:
    """What is wrong with a password that was typed twice."""
    faults: dict[str, str] = {}
    if not LEAST_PASSWORD_CHARACTERS <= len(new) <= MOST_PASSWORD_CHARACTERS:
        faults["new"] = f"must be at least {LEAST_PASSWORD_CHARACTERS} characters"
    if new != again:
        faults["again"] = "is not the same as the new password"
    return faults


async def _fits(password_hash: str, password: str) -> bool:
    if len(password) > MOST_PASSWORD_CHARACTERS:
        return False
    async with _turns():
        return await asyncio.to_thread(_verify, password_hash, password)


def _verify(password_hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(password_hash, password)
    except (Argon2Error, InvalidHashError):
        return False


@cache
def _nobodys_hash() -> str:
    return PasswordHasher().hash(secrets.token_urlsafe())


@cache
def _turns() -> asyncio.Semaphore:
    """Each check takes a core and 64 MiB for a moment: two at once leave room for those who are signed in."""
    return asyncio.Semaphore(2)


def _too_many() -> TooManyRequests:
    minutes = int(COUNTED.total_seconds() // 60)
    return TooManyRequests(
        f"There were too many attempts to sign in; please try again in {minutes} minutes",
        headers={"Retry-After": str(int(COUNTED.total_seconds()))},
    )


@asynccontextmanager
async def connection_of(pool: Pool) -> AsyncIterator[asyncpg.Connection]:
    """A connection for what is asked before anyone is known."""
    connection = await acquire(pool)
    try:
        yield connection
    finally:
        pool.release(connection)
