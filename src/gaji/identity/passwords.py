"""Passwords: kept as hashes that take long to try."""

import asyncio
import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

MOST_CHARACTERS = 1000


async def hashed(password: str) -> str:
    """What is kept of a password."""
    return await asyncio.to_thread(PasswordHasher().hash, password)


async def fits(password_hash: str, password: str) -> bool:
    """Whether this is the password that the hash is of."""
    if len(password) > MOST_CHARACTERS:
        return False
    async with _turns():
        return await asyncio.to_thread(_verify, password_hash, password)


@cache
def nobodys_hash() -> str:
    """A hash that no password fits."""
    return PasswordHasher().hash(secrets.token_urlsafe())


def _verify(password_hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(password_hash, password)
    except (Argon2Error, InvalidHashError):
        return False


@cache
def _turns() -> asyncio.Semaphore:
    """Each check takes a core and 64 MiB for a moment: two at once leave room for those who are signed in."""
    return asyncio.Semaphore(2)
