"""Signing in with two steps: turned on and off by each for themselves, and the code that makes a half session whole."""

import time
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.core.vault import Place, Vault
from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.identity import sessions
from gaji.identity import login_throttle
from gaji.identity import session_repository
from gaji.identity import second_factor_repository as store
from gaji.identity import service as accounts
from gaji.identity.one_time_codes import SECRET_BYTES, compact, is_from_app, new_recovery_codes, step_of
from gaji.identity.sessions import Person, connected, hash_of

WRONG = "The code is not right, or was used before"
Recognised = int | bytes
"""What a right code is kept as: the time step of one from an app, or the hash of a recovery code."""


@dataclass(frozen=True)
class SecondFactor:
    """What the codes of someone are checked against."""

    secret: bytes
    last_step: int
    recovery_hashes: list[bytes]
    since: datetime

    def recognise(self, typed: str) -> Recognised | None:
        """What a code is, if it is a good one; it is used up only later."""
        code = compact(typed)
        if is_from_app(code):
            return step_of(self.secret, code, time.time(), self.last_step)
        return hash_of(code) if hash_of(code) in self.recovery_hashes else None


@dataclass(frozen=True)
class TurnedOn:
    """The token of the session that goes on, and the recovery codes, which are known here and nowhere later."""

    token: str
    recovery_codes: list[str]


@dataclass(frozen=True)
class Completed:
    """The token of a session that became whole, and how many recovery codes are left if one was used."""

    token: str
    recovery_codes_left: int | None


async def find(pool: Pool, vault: Vault, person: Person) -> SecondFactor | None:
    """Someone's second step, if they turned it on."""
    async with connected(pool) as connection:
        return await _find(connection, vault, person.caller.user_id)


async def is_half(pool: Pool, half_token: str) -> bool:
    """Whether this is the token of a half session."""
    async with connected(pool) as connection:
        return await store.half_session(connection, hash_of(half_token)) is not None


async def complete(pool: Pool, vault: Vault, half_token: str, typed: str, address: str) -> Completed | None:
    """Make a half session whole with a code; none when it ended. Raises Invalid and TooManyRequests."""
    by_address = login_throttle.of_address(vault, address)
    async with connected(pool) as connection:
        half = await store.half_session(connection, hash_of(half_token))
        if half is None:
            return None
        user_id, by_codes = half["user_id"], login_throttle.of_codes(vault, half["user_id"])
        await login_throttle.note(connection, [by_codes], by_address)
        factor = await _find(connection, vault, user_id)
        code = factor.recognise(typed) if factor else None
        async with connection.transaction():
            if factor is None or code is None or not await _use_up(connection, user_id, code):
                raise ValidationError(Errors.single("code", INVALID, reason=WRONG), WRONG)
            await session_repository.end(connection, hash_of(half_token))
            begun = await sessions.begin(
                connection, user_id, half["password_hash"], [by_codes], by_address, code_given=True
            )
    return Completed(begun.token, len(factor.recovery_hashes) - 1 if isinstance(code, bytes) else None)


def proposed_secret(vault: Vault, token: str) -> bytes:
    """The secret that is offered to someone during a session.

    It is made of the session's token and of what only this installation knows, so that nothing is kept before it is
    confirmed, the picture stays the same when its page is loaded again, and nobody can choose a weak one.
    """
    return vault.lookup_hash("second factor", token)[:SECRET_BYTES]


async def turn_on(pool: Pool, vault: Vault, person: Person, token: str, password: str, code: str) -> TurnedOn:
    """Turn it on with the secret that was offered: every session ends, and a new one begins."""
    user_id, subjects = person.caller.user_id, _subjects(vault, person)
    checked_hash = await sessions.checked_password(pool, person, password, subjects)
    secret = proposed_secret(vault, token)
    step = step_of(secret, compact(code), time.time())
    if checked_hash is None or step is None:
        raise _faults(checked_hash, step, "is not what the app shows now; check the clock of your phone")
    recovery_codes = new_recovery_codes()
    hashes = [hash_of(compact(one)) for one in recovery_codes]
    async with connected(pool) as connection, connection.transaction():
        if not await store.turn_on(connection, user_id, checked_hash, vault.seal(secret, place(user_id)), step, hashes):
            raise _changed_elsewhere()
        begun = await sessions.begin(connection, user_id, checked_hash, subjects, code_given=True)
    return TurnedOn(begun.token, recovery_codes)


async def turn_off(pool: Pool, vault: Vault, person: Person, password: str, typed: str) -> str:
    """Turn it off: every session ends, and a new one begins, whose token this gives."""
    user_id, subjects = person.caller.user_id, _subjects(vault, person)
    checked_hash = await sessions.checked_password(pool, person, password, subjects)
    factor = await find(pool, vault, person)
    if factor is None:
        raise _changed_elsewhere()
    code = factor.recognise(typed)
    if checked_hash is None or code is None:
        raise _faults(checked_hash, code, "is not right, or was used before")
    async with connected(pool) as connection, connection.transaction():
        used = await _use_up(connection, user_id, code)
        if not used or not await store.turn_off(connection, user_id, checked_hash):
            raise _changed_elsewhere()
        return (await sessions.begin(connection, user_id, checked_hash, subjects, code_given=True)).token


async def take_away(database: Database, email: str) -> None:
    """Turn it off for someone who lost both phone and recovery codes, and end their sessions."""
    user = await accounts.find_user(database, email)
    async with database.maintenance() as connection:
        if not await store.take_away(connection, user.user_id):
            raise Conflict(f"{email} signs in with a password alone, so there is nothing to turn off")


async def _find(connection: asyncpg.Connection, vault: Vault, user_id: int) -> SecondFactor | None:
    row = await store.second_factor(connection, user_id)
    if row is None:
        return None
    secret = vault.open_bytes(row["secret_sealed"], place(user_id))
    return SecondFactor(secret, row["last_step"], row["recovery_codes_hash"], row["created_at"])


async def _use_up(connection: asyncpg.Connection, user_id: int, code: Recognised) -> bool:
    if isinstance(code, int):
        return await store.use_code(connection, user_id, code)
    return await store.use_recovery_code(connection, user_id, code)


def _subjects(vault: Vault, person: Person) -> list[bytes]:
    return [login_throttle.of_email(vault, person.email), login_throttle.of_codes(vault, person.caller.user_id)]


def _faults(password: object | None, code: object | None, wrong_code: str) -> ValidationError:
    errors = {"code": wrong_code} if code is None else {}
    return ValidationError(errors if password is not None else {**errors, "password": "is not your password"})


def _changed_elsewhere() -> Conflict:
    return Conflict("Two-step sign-in has just been changed elsewhere; nothing was done. Load the page again")


def place(user_id: int) -> Place:
    """Where the secret of a user is sealed for."""
    return Place(0, "second_factors", user_id, "secret_sealed")
