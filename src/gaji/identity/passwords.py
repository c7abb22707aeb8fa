"""Password hashing."""

import base64
import hmac
import secrets

from argon2 import Parameters, PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.low_level import core, ffi

from gaji.core.threads import PASSWORDS
from gaji.identity.password_rules import MAX_PASSWORD_LENGTH

ARGON2_OK, MEMORY_ALLOCATION_ERROR = 0, -22
"""Results in argon2.h."""
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
        parameters = extract_parameters(password_hash)
    except InvalidHashError:
        return False
    salt, digest = (base64.b64decode(part + "=" * (-len(part) % 4)) for part in password_hash.split("$")[-2:])
    computed = _compute_digest(password.encode(), salt, parameters)
    return computed is not None and hmac.compare_digest(computed, digest)


def _compute_digest(password: bytes, salt: bytes, parameters: Parameters) -> bytes | None:
    """Return the Argon2 digest of a password, or None if there is none with these parameters.

    The functions of the package start a thread for each of the four lanes of a hash. This one computes the lanes one
    after the other, so that a flood of sign-ins takes one CPU core and competes with other work as one thread.
    """
    output = ffi.new("uint8_t[]", parameters.hash_len)
    password_buffer, salt_buffer = ffi.new("uint8_t[]", password), ffi.new("uint8_t[]", salt)
    context = ffi.new(
        "argon2_context *",
        {
            "version": parameters.version,
            "out": output,
            "outlen": parameters.hash_len,
            "pwd": password_buffer,
            "pwdlen": len(password),
            "salt": salt_buffer,
            "saltlen": len(salt),
            "t_cost": parameters.time_cost,
            "m_cost": parameters.memory_cost,
            "lanes": parameters.parallelism,
            "threads": 1,
        },
    )
    result = core(context, parameters.type.value)
    if result == MEMORY_ALLOCATION_ERROR:
        raise MemoryError
    return bytes(ffi.buffer(output)) if result == ARGON2_OK else None
