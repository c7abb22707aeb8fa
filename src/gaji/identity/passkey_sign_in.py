"""Sign-in with a passkey: alone, or after the password in place of a code.

The authenticator verifies the user, so a passkey alone counts as two-step sign-in.
"""

from dataclasses import dataclass

import asyncpg

from gaji.core.metrics import record_failed_sign_in
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity import (
    passkey_checks,
    passkeys,
    second_factor_repository,
    session_repository,
    sessions,
    sign_in_limits,
)
from gaji.identity import passkey_repository as repository
from gaji.identity.passkey_checks import PasskeyRefused, ProvenPasskey, Purpose, RelyingParty
from gaji.identity.sessions import NewSession, hash_token
from gaji.identity.sign_in_limits import AttemptLimit

FREE_CHALLENGES = 100
"""For one network address, between two successful sign-ins with a passkey."""


@dataclass(frozen=True)
class PasskeyAttempt:
    """The answer of an authenticator, and where the attempt comes from."""

    party: RelyingParty
    response: str
    address: str
    device: str = ""
    """What the browser got when a user signed in on it before."""


async def begin_sign_in(pool: Pool, vault: Vault, visitor: str, party: RelyingParty, address: str) -> str:
    """Return the options to sign in with any passkey of the site as JSON. Raises TooManyRequests."""
    subject = _challenge_subject(vault, address)
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(connection, subject, [AttemptLimit(subject, FREE_CHALLENGES)])
        return await passkey_checks.begin_authentication(connection, visitor, Purpose.SIGN_IN, party)


async def sign_in(pool: Pool, vault: Vault, visitor: str, attempt: PasskeyAttempt) -> NewSession:
    """Begin a session. Raises PasskeyRefused and TooManyRequests."""
    async with pooled_connection(pool) as connection:
        proven, limits = await _prove(connection, vault, visitor, Purpose.SIGN_IN, attempt)
        return await _begin_session(connection, proven, limits, _challenge_subject(vault, attempt.address))


async def begin_second_step(pool: Pool, partial_token: str, party: RelyingParty) -> str | None:
    """Return the options to use a passkey of the user of a partial session as JSON. None if it has ended."""
    async with pooled_connection(pool) as connection:
        partial = await second_factor_repository.find_partial_session(connection, hash_token(partial_token))
        if partial is None:
            return None
    registered = [passkey.credential for passkey in await passkeys.list_passkeys(pool, partial["user_id"])]
    async with pooled_connection(pool) as connection:
        return await passkey_checks.begin_authentication(
            connection, partial_token, Purpose.SECOND_FACTOR, party, registered
        )


async def complete_sign_in(pool: Pool, vault: Vault, partial_token: str, attempt: PasskeyAttempt) -> NewSession | None:
    """Replace a partial session by a full one. Return None if it has ended.

    Raises PasskeyRefused, also for a passkey of another user, and TooManyRequests.
    """
    async with pooled_connection(pool) as connection:
        partial = await second_factor_repository.find_partial_session(connection, hash_token(partial_token))
        if partial is None:
            return None
        proven, limits = await _prove(connection, vault, partial_token, Purpose.SECOND_FACTOR, attempt)
        if proven.user_id != partial["user_id"]:
            raise PasskeyRefused(partial["user_id"])
        async with connection.transaction():
            await session_repository.delete_session(connection, hash_token(partial_token))
            return await _begin_session(connection, proven, limits)


@dataclass(frozen=True)
class _Limits:
    """What an attempt is counted by."""

    account: bytes
    subject: AttemptLimit
    """For the passkey, or for a known device."""
    address: AttemptLimit | None
    """For the network address. None on a known device."""


async def _prove(
    connection: asyncpg.Connection, vault: Vault, holder: str, purpose: Purpose, attempt: PasskeyAttempt
) -> tuple[ProvenPasskey, _Limits]:
    """Count the attempt and check it. An unknown passkey is refused like a wrong answer."""
    try:
        credential = passkey_checks.parse_response(attempt.response)
    except PasskeyRefused:
        by_address = sign_in_limits.address_limit(vault, attempt.address)
        await sign_in_limits.record_attempt(connection, by_address.subject, [by_address])
        raise
    passkey = await repository.find_passkey(connection, credential.raw_id)
    limits = _limits(vault, credential.raw_id, passkey["user_id"] if passkey else None, attempt)
    counted = [limits.subject, *([limits.address] if limits.address else [])]
    await sign_in_limits.record_attempt(connection, limits.account, counted)
    try:
        proven = await passkey_checks.check_response(connection, holder, purpose, attempt.party, credential, passkey)
    except PasskeyRefused:
        record_failed_sign_in()
        raise
    return proven, limits


def _limits(vault: Vault, credential_id: bytes, user_id: int | None, attempt: PasskeyAttempt) -> _Limits:
    subject = vault.lookup_hash("passkey", credential_id.hex())
    account = subject if user_id is None else sign_in_limits.code_subject(vault, user_id)
    if user_id is not None and sign_in_limits.is_known_device(vault, user_id, attempt.device):
        return _Limits(account, sign_in_limits.device_limit(vault, attempt.device), None)
    return _Limits(account, AttemptLimit(subject), sign_in_limits.address_limit(vault, attempt.address))


async def _begin_session(
    connection: asyncpg.Connection, proven: ProvenPasskey, limits: _Limits, *reset: bytes
) -> NewSession:
    """Begin a session. Raises Conflict if the user must use single sign-on."""
    address = limits.address.subject if limits.address else None
    async with connection.transaction():
        if await session_repository.requires_single_sign_on(connection, proven.user_id):
            raise sessions.single_sign_on_required("passkeys are not accepted. Continue with single sign-on")
        if not await repository.use_passkey(connection, proven.id, proven.sign_count):
            raise PasskeyRefused(proven.user_id, is_copy=True)
        return await sessions.begin_session(
            connection, proven.user_id, proven.password_hash, [limits.subject.subject, *reset], address, code_given=True
        )


def _challenge_subject(vault: Vault, address: str) -> bytes:
    return vault.lookup_hash("passkey challenges", sign_in_limits.rate_limit_key(address))
