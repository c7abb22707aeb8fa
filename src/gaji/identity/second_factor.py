"""Two-step sign-in: users enable and disable it, and complete a partial session with a code.

A user with passkeys has two-step sign-in too: recovery codes, and a secret only with an authenticator app.
"""

import time
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.core.errors import Conflict, ErrorCode, Errors, Forbidden, ValidationError
from gaji.core.vault import SealedCell, Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, pooled_connection
from gaji.identity import members, passkey_repository, session_repository, sessions, sign_in_limits
from gaji.identity import second_factor_repository as repository
from gaji.identity import service as accounts
from gaji.identity.one_time_codes import SECRET_BYTES, is_app_code, matching_step, new_recovery_codes, normalise_code
from gaji.identity.sessions import WRONG_PASSWORD, SignedInUser, hash_token
from gaji.identity.sign_in_limits import AttemptLimit
from gaji.mail import outbox
from gaji.mail.outbox import SecurityNotice

WRONG_CODE = ErrorCode("wrong_code", "is incorrect or was used before")
APP_CODE_MISMATCH = ErrorCode(
    "app_code_mismatch", "does not match the current code in the app; check that the time on your phone is correct"
)
SIGN_IN_CODE_WRONG = ErrorCode("sign_in_code_wrong", "The code is incorrect or was used before")

UsableCode = int | bytes
"""A valid code: the time step of a code from an app, or the hash of a recovery code."""


@dataclass(frozen=True)
class SecondFactor:
    """The secret and recovery codes that a user's codes are checked against."""

    secret: bytes | None
    """None if the user has passkeys and no authenticator app."""
    last_step: int
    recovery_hashes: list[bytes]
    since: datetime

    def match(self, typed: str) -> UsableCode | None:
        """Return the code if it is valid. It is not marked as used yet."""
        code = normalise_code(typed)
        if is_app_code(code):
            return matching_step(self.secret, code, time.time(), self.last_step) if self.secret else None
        code_hash = hash_token(code)
        return code_hash if code_hash in self.recovery_hashes else None


@dataclass(frozen=True)
class EnabledSecondFactor:
    """The token of the new session, and the recovery codes, which are not stored in plain text."""

    token: str
    recovery_codes: list[str]


@dataclass(frozen=True)
class PartialSession:
    """How a user whose password was right can complete the sign-in. A recovery code works in any case."""

    has_app: bool
    has_passkeys: bool


@dataclass(frozen=True)
class CompletedSignIn:
    """The token of the new session, and the number of recovery codes left if one was used."""

    token: str
    user_id: int
    """Who signed in."""
    acting_user_id: int
    """Whom the session acts as."""
    recovery_codes_left: int | None


async def find_second_factor(pool: Pool, vault: Vault, user: SignedInUser) -> SecondFactor | None:
    """Return the user's second factor, if it is enabled."""
    async with pooled_connection(pool) as connection:
        return await _find(connection, vault, user.home_user_id)


async def find_partial_session(pool: Pool, vault: Vault, partial_token: str) -> PartialSession | None:
    """Return how a sign-in can be completed. None if it has ended."""
    async with pooled_connection(pool) as connection:
        partial = await repository.find_partial_session(connection, hash_token(partial_token))
        if partial is None:
            return None
        factor = await _find(connection, vault, partial["user_id"])
        passkeys = await passkey_repository.list_passkeys(connection, partial["user_id"])
    return PartialSession(has_app=factor is not None and factor.secret is not None, has_passkeys=bool(passkeys))


async def complete_sign_in(
    pool: Pool, vault: Vault, partial_token: str, typed: str, address: str, device: str = ""
) -> CompletedSignIn | None:
    """Replace a partial session by a full one. Return None if it has ended.

    Raises ValidationError for a wrong code and TooManyRequests after too many attempts.
    """
    async with pooled_connection(pool) as connection:
        partial = await repository.find_partial_session(connection, hash_token(partial_token))
        if partial is None:
            return None
        user_id, by_codes = partial["user_id"], sign_in_limits.code_subject(vault, partial["user_id"])
        is_known = sign_in_limits.is_known_device(vault, user_id, device)
        by_address = None if is_known else sign_in_limits.address_limit(vault, address)
        limits = [AttemptLimit(by_codes), *([by_address] if by_address else [])]
        await sign_in_limits.record_attempt(connection, by_codes, limits)
        factor = await _find(connection, vault, user_id)
        code = factor.match(typed) if factor else None
        async with connection.transaction():
            if factor is None or code is None or not await _use_code(connection, user_id, code):
                raise ValidationError(Errors.single("code", SIGN_IN_CODE_WRONG), SIGN_IN_CODE_WRONG.template)
            await session_repository.delete_session(connection, hash_token(partial_token))
            session = await sessions.begin_session(
                connection,
                user_id,
                partial["password_hash"],
                [by_codes],
                by_address.subject if by_address else None,
                code_given=True,
            )
    codes_left = len(factor.recovery_hashes) - 1 if isinstance(code, bytes) else None
    return CompletedSignIn(session.token, user_id, session.acting_user_id, codes_left)


def proposed_secret(vault: Vault, token: str) -> bytes:
    """Return the secret that is offered to a user during a session.

    It is derived from the session's token and the secret of the installation. So nothing is stored before the user
    confirms, the QR code stays the same when the page is reloaded, and the user cannot choose a weak secret.
    """
    return vault.lookup_hash("second factor", token)[:SECRET_BYTES]


async def enable_second_factor(
    pool: Pool, vault: Vault, user: SignedInUser, token: str, password: str, code: str
) -> EnabledSecondFactor:
    """Enable the second factor with the proposed secret. All sessions end, and a new one begins.

    Raises Conflict if single sign-on is required, and for users without a password.
    """
    if user.single_sign_on_required:
        raise sessions.single_sign_on_required("two-step sign-in is set up at your identity provider")
    sessions.require_password(user)
    user_id, subjects = user.home_user_id, _throttle_subjects(vault, user)
    password_hash = await sessions.verified_password_hash(pool, user_id, password, subjects)
    secret = proposed_secret(vault, token)
    step = matching_step(secret, normalise_code(code), time.time())
    if password_hash is None or step is None:
        raise _validation_error(password_hash is None, None if step is not None else APP_CODE_MISMATCH)
    recovery_codes = new_recovery_codes()
    hashes = [hash_token(normalise_code(recovery_code)) for recovery_code in recovery_codes]
    sealed = vault.seal(secret, sealed_cell(user_id))
    async with pooled_connection(pool) as connection, connection.transaction():
        if not await repository.enable(connection, user_id, password_hash, sealed, step, hashes):
            raise _changed_concurrently()
        await outbox.queue_security_notice(connection, user_id, SecurityNotice.AUTHENTICATOR_ADDED)
        session = await sessions.continue_session(connection, user, password_hash, subjects)
    return EnabledSecondFactor(session.token, recovery_codes)


async def require_for_account(tenant: Tenant, user: SignedInUser, required: bool) -> None:
    """Require two-step sign-in of all users of the account except employees, or no longer.

    Raises Forbidden for callers who are not administrators, and Conflict for those who have not turned it on.
    """
    async with tenant.transaction() as tx:
        if required and await repository.find_second_factor(tx.connection, user.home_user_id) is None:
            raise Conflict("Turn on two-step sign-in for yourself first")
        if not await repository.require_for_account(tx, required):
            raise Forbidden("Only an administrator of the account can do this")


async def disable_second_factor(pool: Pool, vault: Vault, user: SignedInUser, password: str, typed: str) -> str:
    """Disable the authenticator app. All sessions end. Return the token of a new session.

    With passkeys, two-step sign-in stays on. Raises Conflict if the account requires it, or single sign-on.
    """
    if user.single_sign_on_required:
        raise sessions.single_sign_on_required("two-step sign-in is set up at your identity provider")
    if user.two_step_required:
        raise Conflict("Your account requires two-step sign-in, so it cannot be turned off")
    sessions.require_own_session(user)
    user_id, subjects = user.home_user_id, _throttle_subjects(vault, user)
    password_hash = await sessions.verified_password_hash(pool, user_id, password, subjects)
    factor = await find_second_factor(pool, vault, user)
    if factor is None or factor.secret is None:
        raise _changed_concurrently()
    code = factor.match(typed)
    if password_hash is None or code is None:
        raise _validation_error(password_hash is None, None if code is not None else WRONG_CODE)
    async with pooled_connection(pool) as connection, connection.transaction():
        used = await _use_code(connection, user_id, code)
        if not used or not await repository.disable(connection, user_id, password_hash):
            raise _changed_concurrently()
        has_passkeys = await repository.find_second_factor(connection, user_id) is not None
        notice = SecurityNotice.AUTHENTICATOR_REMOVED if has_passkeys else SecurityNotice.TWO_STEPS_OFF
        await outbox.queue_security_notice(connection, user_id, notice)
        return (await sessions.continue_session(connection, user, password_hash, subjects)).token


async def use_code(pool: Pool, vault: Vault, user: SignedInUser, typed: str) -> bool:
    """Use a code of the user. Return False if it is wrong or was used before."""
    async with pooled_connection(pool) as connection:
        factor = await _find(connection, vault, user.home_user_id)
        code = factor.match(typed) if factor else None
        return code is not None and await _use_code(connection, user.home_user_id, code)


async def is_enabled(tenant: Tenant, user_id: int) -> bool:
    """Return whether a user has turned on two-step sign-in."""
    async with tenant.read_only() as tx:
        return await repository.find_second_factor(tx.connection, user_id) is not None


async def reset_for_member(tenant: Tenant, client_id: int, user_id: int, company: str) -> None:
    """Disable the second factor of a member of a client. Their passkeys and sessions end, and mail tells them.

    Raises Forbidden if the member has a role for a company that the caller does not own: with a password link too, the
    caller could sign in as the member.
    """
    async with tenant.transaction() as tx:
        await members.lock_roles(tx, client_id, "turn off two-step sign-in of others")
        member = await members.require_member(tx, client_id, user_id)
        if user_id == tx.caller.user_id:
            raise Conflict("To turn off your own two-step sign-in, use the page Two-step sign-in")
        if member.disabled:
            raise Conflict(f"{member.email} can no longer sign in")
        is_reset = await outbox.reset_second_factor(tx, user_id, company)
        if is_reset is None:
            raise Forbidden(f"Only an administrator of the account can turn off two-step sign-in for {member.email}")
        if not is_reset:
            raise Conflict(f"Two-step sign-in is not turned on for {member.email}")


async def reset_second_factor(database: Database, email: str) -> None:
    """Disable the second factor of a user who lost the phone and the recovery codes. Passkeys and sessions end."""
    user_id = await accounts.find_person(database, email)
    async with database.maintenance() as connection:
        if not await repository.delete(connection, user_id):
            raise Conflict(f"Two-step sign-in is not enabled for {email}")
        await outbox.queue_security_notice(connection, user_id, SecurityNotice.TWO_STEPS_OFF)


async def _find(connection: asyncpg.Connection, vault: Vault, user_id: int) -> SecondFactor | None:
    row = await repository.find_second_factor(connection, user_id)
    if row is None:
        return None
    sealed = row["secret_sealed"]
    secret = vault.open_bytes(sealed, sealed_cell(user_id)) if sealed else None
    return SecondFactor(secret, row["last_step"], row["recovery_codes_hash"], row["created_at"])


async def _use_code(connection: asyncpg.Connection, user_id: int, code: UsableCode) -> bool:
    if isinstance(code, int):
        return await repository.use_code(connection, user_id, code)
    return await repository.use_recovery_code(connection, user_id, code)


def _throttle_subjects(vault: Vault, user: SignedInUser) -> list[bytes]:
    return [
        sign_in_limits.confirmation_subject(vault, user.home_user_id),
        sign_in_limits.code_subject(vault, user.home_user_id),
    ]


def _validation_error(is_password_wrong: bool, code_error: ErrorCode | None) -> ValidationError:
    errors = Errors()
    if code_error is not None:
        errors.add("code", code_error)
    if is_password_wrong:
        errors.add("password", WRONG_PASSWORD)
    return ValidationError(errors)


def _changed_concurrently() -> Conflict:
    return Conflict("Two-step sign-in was changed in another session; nothing was saved. Reload the page")


def sealed_cell(user_id: int) -> SealedCell:
    """Return the cell that the secret of a user is sealed for."""
    return SealedCell(0, "second_factors", user_id, "secret_sealed")
