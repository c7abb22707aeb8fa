"""Sign-in to the console, sessions, and change of password."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg
import msgspec

from gaji.core.errors import Conflict, ErrorCode, Errors, NotFound, ValidationError
from gaji.core.metrics import record_failed_sign_in
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, pooled_connection
from gaji.identity import passwords, sign_in_limits
from gaji.identity import session_repository as repository
from gaji.identity.password_rules import password_errors
from gaji.identity.schemas import MAX_EMAIL_LENGTH
from gaji.identity.sign_in_limits import AttemptLimit
from gaji.identity.sign_in_queue import SIGN_INS
from gaji.identity.user_agents import MAX_LENGTH, device_name
from gaji.mail import outbox
from gaji.mail.outbox import SecurityNotice

SESSION_LIFETIME = timedelta(hours=12)
"""One working day."""
LONGEST_PAUSE = timedelta(hours=2)
"""A session that is not used for longer ends."""
PARTIAL_SESSION_LIFETIME = timedelta(minutes=5)
"""The time to enter the code after the password."""

METHODS = (LOCAL, BY_SINGLE_SIGN_ON) = ("local", "single_sign_on")
"""How a session can begin: with a password or a passkey, or at the provider of the account."""

SINGLE_SIGN_ON_REQUIRED = "Your account requires single sign-on, so {action}"
WRONG_CREDENTIALS = ErrorCode("wrong_credentials", "Incorrect email or password")
WRONG_PASSWORD = ErrorCode("wrong_password", "is incorrect")
PASSWORD_UNCHANGED = ErrorCode("password_unchanged", "must differ from your current password")


class AccountChoice(msgspec.Struct, frozen=True):
    """An account that a session can act in."""

    account_id: int
    name: str
    is_current: bool


@dataclass(frozen=True)
class SignedInUser:
    """The user that a session acts as, and the home user who signed in. They differ in a linked account."""

    caller: Caller
    """The user that the session acts as."""
    email: str
    name: str
    account_name: str
    two_step_required: bool
    """Whether the account requires two-step sign-in of this user."""
    two_step_missing: bool
    """Whether it is required and not turned on yet, in a session that did not begin with single sign-on."""
    method: str
    """How the session began: one of `METHODS`."""
    single_sign_on_required: bool
    """Whether the account requires single sign-on of this user."""
    home_user_id: int
    """The user who signed in, with the password and the second factors. In a session that began with single sign-on,
    the user of that account."""
    has_password: bool
    """Whether the home user has one. Whoever only ever used single sign-on does not."""
    can_change_sign_in: bool
    """Whether the session may change the email, the password and the second factors. One that began with single
    sign-on may not, because these may open other accounts."""
    accounts: Sequence[AccountChoice] = ()
    """The accounts that the session can switch between. Empty if the person has one account."""

    @property
    def display_name(self) -> str:
        """The name, or else the email."""
        return self.name or self.email


@dataclass(frozen=True)
class DeviceSession:
    """A session, as its user sees it."""

    id: int
    created_at: datetime
    last_seen_at: datetime
    device: str
    """The user agent of the browser."""
    address: str
    is_current: bool
    method: str
    """How it began: one of `METHODS`."""

    @property
    def device_name(self) -> str:
        """The browser and the system."""
        return device_name(self.device)


@dataclass(frozen=True)
class Credentials:
    """An email and password, and where the attempt comes from."""

    email: str
    password: str
    address: str
    """The network address."""
    device: str = ""
    """What the browser got when a user signed in on it before."""


@dataclass(frozen=True)
class NewSession:
    """A session that was just created. Its token is not stored."""

    token: str
    is_partial: bool
    """Whether the session only permits entering a code."""
    user_id: int
    """Who signed in."""
    acting_user_id: int
    """Whom the session acts as."""


@dataclass(frozen=True)
class AccountSwitch:
    """What became of an attempt to act in another account."""

    token: str | None
    """The new token of the session. None if the account requires single sign-on."""
    acting_user_id: int
    sign_in_key: str | None
    """Of the address for single sign-on, if the account requires it."""


async def sign_in(pool: Pool, vault: Vault, credentials: Credentials) -> NewSession:
    """Begin a session: a partial one for users with a second factor.

    Raises ValidationError and TooManyRequests, and Conflict if single sign-on is required.
    """
    device_user = sign_in_limits.find_device_user(vault, credentials.device)
    async with SIGN_INS.turn(sign_in_limits.rate_limit_key(credentials.address), device_user):
        return await _sign_in(pool, vault, credentials)


async def _sign_in(pool: Pool, vault: Vault, credentials: Credentials) -> NewSession:
    email = credentials.email.strip()[:MAX_EMAIL_LENGTH]
    async with pooled_connection(pool) as connection:
        # PostgreSQL lower-cases non-ASCII characters differently, and rejects NUL.
        is_plain = email.isascii() and email.isprintable()
        user = await repository.find_password(connection, email) if is_plain else None
        is_known = user is not None and sign_in_limits.is_known_device(vault, user["user_id"], credentials.device)
        limits = [sign_in_limits.device_limit(vault, credentials.device)]
        if not is_known:
            limits = sign_in_limits.stranger_limits(vault, email, credentials.address)
        await sign_in_limits.record_attempt(connection, sign_in_limits.account_subject(vault, email), limits)
    # An unknown email takes as long as a known one, so that the time does not reveal which emails exist.
    password_hash = user["password_hash"] if user else await passwords.dummy_hash()
    matches = await passwords.verify_password(password_hash, credentials.password)
    if user is None or not matches:
        record_failed_sign_in()
        raise ValidationError(Errors.single("password", WRONG_CREDENTIALS), WRONG_CREDENTIALS.template)
    async with pooled_connection(pool) as connection:
        await require_local_sign_in(connection, user["user_id"])
        address = None if is_known else limits.pop().subject
        return await begin_session(
            connection, user["user_id"], password_hash, [limit.subject for limit in limits], address
        )


async def find_session(pool: Pool, token: str) -> SignedInUser | None:
    """Return the user of a session, or None if there is no such session."""
    async with pooled_connection(pool) as connection:
        row = await repository.find_session(connection, hash_token(token), LONGEST_PAUSE)
    if row is None:
        return None
    caller = Caller(
        user_id=row["user_id"],
        account_id=row["account_id"],
        access_version=row["access_version"],
        administrator=row["administrator"],
    )
    return SignedInUser(
        caller,
        row["email"],
        row["name"],
        row["account_name"],
        two_step_required=row["two_step_required"],
        two_step_missing=row["two_step_missing"],
        method=row["method"],
        single_sign_on_required=row["single_sign_on_required"],
        home_user_id=row["home_user_id"],
        has_password=row["has_password"],
        can_change_sign_in=row["can_change_sign_in"],
        accounts=msgspec.json.decode(row["accounts"], type=list[AccountChoice]),
    )


async def switch_account(pool: Pool, token: str, account_id: int) -> AccountSwitch:
    """Let a session act in another account of the person. Its token is replaced. Raises NotFound."""
    new_token = secrets.token_urlsafe(32)
    hashes = hash_token(token), account_id, hash_token(new_token)
    async with pooled_connection(pool) as connection:
        row = await repository.switch_account(connection, *hashes, LONGEST_PAUSE)
    if row is None:
        raise NotFound("You have no access to this account")
    is_switched = row["outcome"] == "switched"
    return AccountSwitch(new_token if is_switched else None, row["acting_user_id"], row["sign_in_key"])


async def describe_session(pool: Pool, token: str, user_agent: str, address: str) -> None:
    """Record the device and the network address of a new session."""
    # PostgreSQL rejects NUL.
    device = "".join(filter(str.isprintable, user_agent))[:MAX_LENGTH]
    async with pooled_connection(pool) as connection:
        await repository.describe_session(connection, hash_token(token), device, address[:MAX_LENGTH])


async def list_sessions(pool: Pool, token: str) -> list[DeviceSession]:
    """Return all sessions of the user of a session, the last used first."""
    async with pooled_connection(pool) as connection:
        rows = await repository.list_sessions(connection, hash_token(token), LONGEST_PAUSE)
    return [DeviceSession(**row) for row in rows]


async def end_other_sessions(pool: Pool, token: str, session_id: int | None = None) -> int:
    """End another session of the user of a session, or all others. Return how many ended."""
    async with pooled_connection(pool) as connection:
        return await repository.end_other_sessions(connection, hash_token(token), session_id)


async def sign_out(pool: Pool, token: str) -> None:
    """End a session."""
    async with pooled_connection(pool) as connection:
        await repository.delete_session(connection, hash_token(token))


async def change_password(pool: Pool, vault: Vault, user: SignedInUser, current: str, new: str, again: str) -> str:
    """Change the user's password. All sessions end. Return the token of a new session.

    Raises Conflict if single sign-on is required.
    """
    if user.single_sign_on_required:
        raise single_sign_on_required("you have no password here")
    require_own_session(user)
    subject = sign_in_limits.confirmation_subject(vault, user.home_user_id)
    current_hash = await verified_password_hash(pool, user.home_user_id, current, [subject])
    errors = password_errors(new, again, user.email, user.name)
    if new == current and "new" not in errors:
        errors.add("new", PASSWORD_UNCHANGED)
    if current_hash is None:
        errors.add("current", WRONG_PASSWORD)
    if current_hash is None or errors:
        raise ValidationError(errors)
    user_id, new_hash = user.home_user_id, await passwords.hash_password(new)
    async with pooled_connection(pool) as connection, connection.transaction():
        if not await repository.change_password(connection, user_id, current_hash, new_hash):
            raise password_changed()
        await outbox.queue_security_notice(connection, user_id, SecurityNotice.PASSWORD_CHANGED)
        return (await continue_session(connection, user, new_hash, [subject])).token


async def verified_password_hash(pool: Pool, user_id: int, password: str, subjects: Sequence[bytes]) -> str | None:
    """Return the hash of a user's password, or None if the password is wrong. The attempt is counted."""
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(connection, subjects[0], [AttemptLimit(subject) for subject in subjects])
        password_hash = await repository.find_password_hash(connection, user_id)
    if password_hash is None or not await passwords.verify_password(password_hash, password):
        return None
    return password_hash


async def begin_session(
    connection: asyncpg.Connection,
    user_id: int,
    password_hash: str,
    subjects: Sequence[bytes],
    address: bytes | None = None,
    *,
    code_given: bool = False,
    acting_user_id: int | None = None,
) -> NewSession:
    """Begin a session and reset the attempts of these subjects. Raises Conflict if the password was changed.

    It acts as `acting_user_id`, or else as the home user or the first linked user that is possible.
    """
    token = secrets.token_urlsafe(32)
    row = await repository.insert_session(
        connection,
        user_id,
        password_hash,
        code_given,
        hash_token(token),
        SESSION_LIFETIME,
        PARTIAL_SESSION_LIFETIME,
        subjects,
        address,
        acting_user_id,
    )
    if row is None:
        raise password_changed()
    return NewSession(token, row["is_partial"], user_id, row["acting_user_id"])


async def continue_session(
    connection: asyncpg.Connection, user: SignedInUser, password_hash: str, subjects: Sequence[bytes]
) -> NewSession:
    """Begin a session in place of one whose user has just proved who they are. It acts as the same user."""
    return await begin_session(
        connection, user.home_user_id, password_hash, subjects, code_given=True, acting_user_id=user.caller.user_id
    )


async def require_local_sign_in(connection: asyncpg.Connection, user_id: int) -> None:
    """Raise Conflict if a person can sign in with single sign-on only."""
    if await repository.requires_single_sign_on(connection, user_id):
        raise single_sign_on_required("passwords are not accepted. Continue with single sign-on")


def require_own_session(user: SignedInUser) -> None:
    """Raise Conflict if the session may not change how the person signs in."""
    if not user.can_change_sign_in:
        raise Conflict("You signed in with single sign-on. Sign in with your password to change this")


def require_password(user: SignedInUser) -> None:
    """Raise Conflict if the session may not change how the person signs in, or the person has no password."""
    require_own_session(user)
    if not user.has_password:
        raise Conflict(
            "You sign in with single sign-on and have no password here, so passkeys and two-step sign-in are set up at "
            "your identity provider"
        )


def hash_token(token: str) -> bytes:
    """Return the hash to store for a token. Tokens are random enough for a hash without a key."""
    return hashlib.sha256(token.encode()).digest()


def single_sign_on_required(action: str) -> Conflict:
    """Return the error for what users cannot do if single sign-on is required."""
    return Conflict(SINGLE_SIGN_ON_REQUIRED.format(action=action))


def password_changed() -> Conflict:
    """Return the error for a password that was changed concurrently."""
    return Conflict("Your password was changed in another session; sign in again")
