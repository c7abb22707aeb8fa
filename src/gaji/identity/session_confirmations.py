"""Step-up: before sensitive changes, users of old sessions prove again who they are.

A password, a code or a passkey will do, whichever the user has. Signing in counts too, and is the only way in a session
that began with single sign-on: wrong codes there must not delay the person's sign-in to other accounts.
"""

from datetime import timedelta

from gaji.core.errors import Errors, ValidationError
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity import passkey_checks, passkeys, second_factor, sessions, sign_in_limits
from gaji.identity import passkey_repository as repository
from gaji.identity.passkey_checks import PasskeyRefused, Purpose, RelyingParty
from gaji.identity.second_factor import WRONG_CODE
from gaji.identity.sessions import WRONG_PASSWORD, SignedInUser, hash_token
from gaji.identity.sign_in_limits import AttemptLimit

RECENT = timedelta(minutes=15)
"""A proof that is not older suffices."""


async def is_confirmed(pool: Pool, token: str) -> bool:
    """Return whether the user of a session proved recently who they are."""
    async with pooled_connection(pool) as connection:
        return await repository.is_session_confirmed(connection, hash_token(token), RECENT)


async def confirm_with_password(pool: Pool, vault: Vault, user: SignedInUser, token: str, password: str) -> None:
    """Confirm a session. Raises ValidationError and TooManyRequests, and Conflict if single sign-on is to be used."""
    if user.single_sign_on_required:
        raise sessions.single_sign_on_required("passwords are not accepted. Continue with single sign-on")
    sessions.require_own_session(user)
    subject = sign_in_limits.confirmation_subject(vault, user.home_user_id)
    if await sessions.verified_password_hash(pool, user.home_user_id, password, [subject]) is None:
        raise ValidationError(Errors.single("password", WRONG_PASSWORD))
    await _confirm(pool, token, subject)


async def confirm_with_code(pool: Pool, vault: Vault, user: SignedInUser, token: str, typed: str) -> None:
    """Confirm a session with a code of the app or a recovery code. Raises ValidationError and TooManyRequests."""
    sessions.require_own_session(user)
    subject = sign_in_limits.code_subject(vault, user.home_user_id)
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(connection, subject, [AttemptLimit(subject)])
    if not await second_factor.use_code(pool, vault, user, typed):
        raise ValidationError(Errors.single("code", WRONG_CODE))
    await _confirm(pool, token, subject)


async def begin_passkey(pool: Pool, user: SignedInUser, token: str, party: RelyingParty) -> str:
    """Return the options to confirm a session with a passkey as JSON."""
    sessions.require_own_session(user)
    registered = [passkey.credential for passkey in await passkeys.list_passkeys(pool, user.home_user_id)]
    async with pooled_connection(pool) as connection:
        return await passkey_checks.begin_authentication(connection, token, Purpose.CONFIRM, party, registered)


async def confirm_with_passkey(
    pool: Pool, vault: Vault, user: SignedInUser, token: str, party: RelyingParty, response: str
) -> None:
    """Confirm a session. Raises PasskeyRefused, also for a passkey of another user, and TooManyRequests."""
    sessions.require_own_session(user)
    user_id = user.home_user_id
    subject = sign_in_limits.confirmation_subject(vault, user_id)
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(connection, subject, [AttemptLimit(subject)])
        credential = passkey_checks.parse_response(response)
        passkey = await repository.find_passkey(connection, credential.raw_id)
        proven = await passkey_checks.check_response(connection, token, Purpose.CONFIRM, party, credential, passkey)
        if proven.user_id != user_id:
            raise PasskeyRefused(user_id)
        if not await repository.use_passkey(connection, proven.id, proven.sign_count):
            raise PasskeyRefused(user_id, is_copy=True)
    await _confirm(pool, token, subject)


async def _confirm(pool: Pool, token: str, subject: bytes) -> None:
    async with pooled_connection(pool) as connection:
        await repository.confirm_session(connection, hash_token(token), [subject])
