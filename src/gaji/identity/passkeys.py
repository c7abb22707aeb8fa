"""Passkeys of a user: add, rename and remove them."""

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.field_types import Text
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity import passkey_checks
from gaji.identity import passkey_repository as repository
from gaji.identity.one_time_codes import new_recovery_codes, normalise_code
from gaji.identity.passkey_checks import KnownCredential, RelyingParty
from gaji.identity.sessions import (
    SignedInUser,
    hash_token,
    require_own_session,
    require_password,
    single_sign_on_required,
)
from gaji.mail import outbox
from gaji.mail.outbox import SecurityNotice

MAX_PASSKEYS = 20
MAX_NAME_LENGTH = 50
NOTICES = {"removed": SecurityNotice.PASSKEY_REMOVED, "turned_off": SecurityNotice.TWO_STEPS_OFF}
"""By the outcome of a removal."""
NAME = Text(min_length=1, max_length=MAX_NAME_LENGTH)


@dataclass(frozen=True)
class Passkey:
    """A passkey, as its user sees it."""

    id: int
    name: str
    credential_id: bytes
    transports: list[str]
    created_at: datetime
    last_used_at: datetime | None

    @property
    def credential(self) -> KnownCredential:
        """What the browser gets to know."""
        return KnownCredential(self.credential_id, self.transports)


async def list_passkeys(pool: Pool, user_id: int) -> list[Passkey]:
    """Return the passkeys of a user, oldest first."""
    async with pooled_connection(pool) as connection:
        return [Passkey(**row) for row in await repository.list_passkeys(connection, user_id)]


async def begin_registration(pool: Pool, user: SignedInUser, token: str, party: RelyingParty) -> str:
    """Return the options for a new passkey as JSON.

    Raises Conflict for a user who has the maximum, who has no password, or who must use single sign-on.
    """
    if user.single_sign_on_required:
        raise single_sign_on_required("passkeys are not accepted")
    require_password(user)
    passkeys = await list_passkeys(pool, user.home_user_id)
    if len(passkeys) >= MAX_PASSKEYS:
        raise _too_many()
    async with pooled_connection(pool) as connection:
        return await passkey_checks.begin_registration(
            connection, token, party, user.home_user_id, user.email, [passkey.credential for passkey in passkeys]
        )


async def add_passkey(
    pool: Pool, user: SignedInUser, token: str, party: RelyingParty, name: str, response: str
) -> list[str]:
    """Add a passkey. Return the recovery codes, if it turned two-step sign-in on; the other sessions end then.

    Raises ValidationError and Conflict.
    """
    if user.single_sign_on_required:
        raise single_sign_on_required("passkeys are not accepted")
    require_password(user)
    name = _parse_name(name)
    codes = new_recovery_codes()
    async with pooled_connection(pool) as connection:
        verified, transports = await passkey_checks.check_registration(connection, token, party, response)
        async with connection.transaction():
            try:
                turned_on = await repository.insert_passkey(
                    connection,
                    user.home_user_id,
                    hash_token(token),
                    name,
                    verified.credential_id,
                    verified.credential_public_key,
                    verified.sign_count,
                    transports,
                    [hash_token(normalise_code(code)) for code in codes],
                    MAX_PASSKEYS,
                )
            except asyncpg.UniqueViolationError:
                raise Conflict("This passkey has already been added") from None
            if turned_on is None:
                raise _too_many()
            await outbox.queue_security_notice(connection, user.home_user_id, SecurityNotice.PASSKEY_ADDED, name)
    return codes if turned_on else []


async def rename_passkey(pool: Pool, user: SignedInUser, passkey_id: int, name: str) -> None:
    """Rename a passkey. Raises ValidationError, NotFound and Conflict."""
    require_own_session(user)
    name = _parse_name(name)
    async with pooled_connection(pool) as connection:
        if not await repository.rename_passkey(connection, user.home_user_id, passkey_id, name):
            raise _not_found()


async def remove_passkey(pool: Pool, user: SignedInUser, passkey_id: int) -> bool:
    """Remove a passkey. Return whether that turned two-step sign-in off. Raises NotFound.

    Raises Conflict if the account requires two-step sign-in and the user would have none.
    """
    require_own_session(user)
    user_id, must_keep = user.home_user_id, user.two_step_required
    async with pooled_connection(pool) as connection, connection.transaction():
        outcome = await repository.delete_passkey(connection, user_id, passkey_id, must_keep_two_step=must_keep)
        if outcome in NOTICES:
            await outbox.queue_security_notice(connection, user_id, NOTICES[outcome])
    if outcome == "missing":
        raise _not_found()
    if outcome == "required":
        raise Conflict(
            "Your account requires two-step sign-in, so add another passkey or turn on an authenticator app first"
        )
    return outcome == "turned_off"


def _parse_name(text: str) -> str:
    errors = Errors()
    name: str | None = NAME.parse(text.strip(), "name", errors)
    if errors or name is None:
        raise ValidationError(errors)
    return name


def _too_many() -> Conflict:
    return Conflict(f"You have {MAX_PASSKEYS} passkeys, which is the maximum; remove one first")


def _not_found() -> NotFound:
    return NotFound("This passkey has been removed")
