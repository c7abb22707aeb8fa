"""Password hashing and the rules for new passwords."""

import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from gaji.core.errors import ErrorCode, Errors
from gaji.core.threads import PASSWORDS
from gaji.core.validation import TOO_LONG
from gaji.identity.password_rules import consists_of_email, is_easy_to_guess

MIN_PASSWORD_LENGTH = 12
MAX_PASSWORD_LENGTH = 1000

PASSWORD_TOO_SHORT = ErrorCode("password_too_short", "must be at least {min_length} characters")
PASSWORD_IS_EMAIL = ErrorCode("password_is_email", "must not consist of your email address")
PASSWORD_EASY_TO_GUESS = ErrorCode("password_easy_to_guess", "is easy to guess; use several words that are unrelated")
PASSWORDS_DIFFER = ErrorCode("passwords_differ", "does not match the new password")


async def hash_password(password: str) -> str:
    """Return the hash to store for a password."""
    return await PASSWORDS.run(PasswordHasher().hash, password)


async def verify_password(password_hash: str, password: str) -> bool:
    """Return whether a password matches a hash."""
    if len(password) > MAX_PASSWORD_LENGTH:
        return False
    return await PASSWORDS.run(_verify, password_hash, password)


@cache
def dummy_hash() -> str:
    """Return a hash that no password matches."""
    return PasswordHasher().hash(secrets.token_urlsafe())


def password_errors(new: str, again: str, email: str) -> Errors:
    """Return the errors of a new password that was typed twice."""
    errors = Errors()
    add_password_error("new", new, email, errors)
    if new != again:
        errors.add("again", PASSWORDS_DIFFER)
    return errors


def add_password_error(path: str, password: str, email: str, errors: Errors) -> None:
    """Add an error unless a password is acceptable for the user with this email."""
    if len(password) < MIN_PASSWORD_LENGTH:
        errors.add(path, PASSWORD_TOO_SHORT, min_length=MIN_PASSWORD_LENGTH)
    elif len(password) > MAX_PASSWORD_LENGTH:
        errors.add(path, TOO_LONG, max_length=MAX_PASSWORD_LENGTH)
    elif consists_of_email(password, email):
        errors.add(path, PASSWORD_IS_EMAIL)
    elif is_easy_to_guess(password):
        errors.add(path, PASSWORD_EASY_TO_GUESS)


def _verify(password_hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(password_hash, password)
    except (Argon2Error, InvalidHashError):
        return False
