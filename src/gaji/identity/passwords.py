"""Password hashing."""

import secrets

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from gaji.core.threads import PASSWORDS
from gaji.identity.password_rules import MAX_PASSWORD_LENGTH

_dummy_hashes: list[str] = []
"""The one that all unknown emails are compared with, when it is known."""


async def hash_password(password: str) -> str:
    """Return the hash to store for a password."""
    return await PASSWORDS.run(PasswordHasher().hash, password)


async def verify_password(password_hash: str, password: str) -> bool:
    """Return whether a password matches a hash."""
    if len(password) > MAX_PASSWORD_LENGTH:
        return False
    return await PASSWORDS.run(_verify, password_hash, password)


async def dummy_hash() -> str:
    """Return a hash that no password matches. The first call takes as long as any hash."""
    if not _dummy_hashes:
        _dummy_hashes.append(await hash_password(secrets.token_urlsafe()))
    return _dummy_hashes[0]


def _verify(password_hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(password_hash, password)
    except (Argon2Error, InvalidHashError):
        return False
