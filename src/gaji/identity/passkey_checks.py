"""The WebAuthn side of passkeys: challenges, and checks of what an authenticator answers.

A challenge is stored for a holder: a session or, before sign-in, a browser. It works once, within some minutes.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from urllib.parse import urlsplit

import asyncpg
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import parse_authentication_credential_json, parse_registration_credential_json
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from webauthn.registration.verify_registration_response import VerifiedRegistration

from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.identity import passkey_repository as repository

CHALLENGE_BYTES = 32
CHALLENGE_LIFETIME = timedelta(minutes=5)
TIMEOUT_MS = int(CHALLENGE_LIFETIME.total_seconds() * 1000)
MAX_RESPONSE_LENGTH = 20_000
MAX_CREDENTIAL_ID_BYTES = 1023
"""As WebAuthn allows."""
SITE_NAME = "Gaji"
LOCALHOST = "localhost"
DOMAIN = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9.-]+")
"""Passkeys belong to a domain. An IP address has none."""

PASSKEY_REFUSED = ErrorCode("passkey_refused", "The passkey was not accepted. Try again, or sign in another way")
PASSKEY_NOT_ADDED = ErrorCode("passkey_not_added", "The passkey could not be added. Please try again")


class Purpose(StrEnum):
    """What a challenge is for. An answer to one purpose does not work for another."""

    REGISTER = "register"
    SIGN_IN = "sign_in"
    SECOND_FACTOR = "second_factor"
    CONFIRM = "confirm"


class PasskeyRefused(ValidationError):
    """The answer of an authenticator was not accepted."""

    def __init__(self, user_id: int | None = None, *, is_copy: bool = False) -> None:
        super().__init__(Errors.single("credential", PASSKEY_REFUSED), PASSKEY_REFUSED.template)
        self.user_id = user_id
        """The user of the passkey, if it is known."""
        self.is_copy = is_copy
        """Whether the count of uses did not increase, so that the passkey may have been copied."""


@dataclass(frozen=True)
class RelyingParty:
    """The site that passkeys belong to."""

    id: str
    """The domain."""
    origin: str


@dataclass(frozen=True)
class KnownCredential:
    """A credential that a browser may offer, or must not register again."""

    credential_id: bytes
    transports: Sequence[str]


@dataclass(frozen=True)
class ProvenPasskey:
    """A passkey whose answer was right. Its use is not recorded yet."""

    id: int
    user_id: int
    password_hash: str
    sign_count: int


def find_relying_party(site_url: str) -> RelyingParty | None:
    """Return the site that passkeys belong to. None if browsers have no passkeys at this address.

    >>> find_relying_party("https://pay.example.com:443")
    RelyingParty(id='pay.example.com', origin='https://pay.example.com')
    >>> find_relying_party("http://localhost:8000")
    RelyingParty(id='localhost', origin='http://localhost:8000')
    >>> find_relying_party("http://pay.example.com"), find_relying_party("https://127.0.0.1"), find_relying_party("")
    (None, None, None)
    """
    address = urlsplit(site_url)
    host = address.hostname or ""
    is_secure = address.scheme == "https" or host == LOCALHOST
    port = "" if address.port in (None, {"https": 443, "http": 80}.get(address.scheme)) else f":{address.port}"
    return RelyingParty(host, f"{address.scheme}://{host}{port}") if is_secure and DOMAIN.fullmatch(host) else None


async def begin_registration(
    connection: asyncpg.Connection,
    holder: str,
    party: RelyingParty,
    user_id: int,
    email: str,
    registered: Sequence[KnownCredential],
) -> str:
    """Return the options for a new passkey as JSON. The challenge is stored."""
    options = generate_registration_options(
        rp_id=party.id,
        rp_name=SITE_NAME,
        user_id=user_handle(user_id),
        user_name=email,
        challenge=await _new_challenge(connection, holder, Purpose.REGISTER),
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[_descriptor(credential) for credential in registered],
    )
    return options_to_json(options)


async def begin_authentication(
    connection: asyncpg.Connection,
    holder: str,
    purpose: Purpose,
    party: RelyingParty,
    credentials: Sequence[KnownCredential] = (),
) -> str:
    """Return the options to use a passkey as JSON: one of these, or any of the site. The challenge is stored."""
    options = generate_authentication_options(
        rp_id=party.id,
        challenge=await _new_challenge(connection, holder, purpose),
        timeout=TIMEOUT_MS,
        allow_credentials=[_descriptor(credential) for credential in credentials],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options)


async def check_registration(
    connection: asyncpg.Connection, holder: str, party: RelyingParty, response: str
) -> tuple[VerifiedRegistration, list[str]]:
    """Return a new passkey and how the browser reaches it. Raises ValidationError."""
    challenge = await repository.take_challenge(connection, _holder_hash(holder), Purpose.REGISTER)
    if challenge is None or len(response) > MAX_RESPONSE_LENGTH:
        raise _not_added()
    try:
        credential = parse_registration_credential_json(response)
        verified = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
    except Exception:  # the browser can send any structure, and the library does not catch all of them
        raise _not_added() from None
    if not 0 < len(verified.credential_id) <= MAX_CREDENTIAL_ID_BYTES:
        raise _not_added()
    return verified, [transport.value for transport in credential.response.transports or ()]


def parse_response(response: str) -> AuthenticationCredential:
    """Return the answer of an authenticator. Raises PasskeyRefused."""
    try:
        if len(response) > MAX_RESPONSE_LENGTH:
            raise PasskeyRefused
        return parse_authentication_credential_json(response)
    except Exception:  # as above
        raise PasskeyRefused from None


async def check_response(
    connection: asyncpg.Connection,
    holder: str,
    purpose: Purpose,
    party: RelyingParty,
    credential: AuthenticationCredential,
    passkey: asyncpg.Record | None,
) -> ProvenPasskey:
    """Check an answer with the passkey that it names. The challenge is used up in any case. Raises PasskeyRefused."""
    challenge = await repository.take_challenge(connection, _holder_hash(holder), purpose)
    if challenge is None or passkey is None:
        raise PasskeyRefused(passkey["user_id"] if passkey else None)
    user_id: int = passkey["user_id"]
    handle = credential.response.user_handle
    # Without a list of credentials, the authenticator must say whose passkey it is.
    if handle != user_handle(passkey["handle_id"]) and (handle is not None or purpose is Purpose.SIGN_IN):
        raise PasskeyRefused(user_id)
    try:
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey["public_key"],
            credential_current_sign_count=0,  # compared below, when the signature is known to be right
            require_user_verification=True,
        )
    except Exception:  # as above
        raise PasskeyRefused(user_id) from None
    if (passkey["sign_count"] or verified.new_sign_count) and verified.new_sign_count <= passkey["sign_count"]:
        raise PasskeyRefused(user_id, is_copy=True)
    return ProvenPasskey(passkey["id"], user_id, passkey["password_hash"], verified.new_sign_count)


def user_handle(user_id: int) -> bytes:
    """Return how authenticators know a user. It says nothing about the person."""
    return str(user_id).encode()


async def _new_challenge(connection: asyncpg.Connection, holder: str, purpose: Purpose) -> bytes:
    challenge = secrets.token_bytes(CHALLENGE_BYTES)
    await repository.keep_challenge(connection, _holder_hash(holder), purpose, challenge, CHALLENGE_LIFETIME)
    return challenge


def _holder_hash(holder: str) -> bytes:
    return hashlib.sha256(holder.encode()).digest()


def _descriptor(credential: KnownCredential) -> PublicKeyCredentialDescriptor:
    transports = [AuthenticatorTransport(transport) for transport in credential.transports]
    return PublicKeyCredentialDescriptor(id=credential.credential_id, transports=transports or None)


def _not_added() -> ValidationError:
    return ValidationError(Errors.single("credential", PASSKEY_NOT_ADDED), PASSKEY_NOT_ADDED.template)
