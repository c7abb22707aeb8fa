"""Checks of ID tokens (OpenID Connect Core 1.0, section 3.1.3.7)."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from gaji.core.errors import Errors
from gaji.identity.schemas import EMAIL

SigningKey = RSAKey | ECKey
KEY_TYPES: Mapping[str, type[SigningKey]] = {"RS256": RSAKey, "PS256": RSAKey, "ES256": ECKey}
"""The accepted algorithms, and the type of key that each needs."""
MIN_RSA_BITS = 2048
LEEWAY_S = 60
"""The clocks of the provider and of this server may differ."""
MAX_TOKEN_LENGTH = 32_768
MAX_SUBJECT_LENGTH = 255
MAX_NAME_LENGTH = 100
MICROSOFT = "https://login.microsoftonline.com/"
"""Microsoft Entra ID has the claim `xms_edov` in place of `email_verified`."""


class TokenRefused(Exception):
    """The ID token is not valid. The message is the reason, for the administrator."""


@dataclass(frozen=True)
class ExpectedToken:
    """What the claims of a token have to be."""

    issuer: str
    oauth_client: str
    nonce: str


@dataclass(frozen=True)
class ProviderIdentity:
    """A person, as the provider knows them."""

    subject: str
    email: str
    """Verified by the provider."""
    name: str
    proved_at: datetime | None
    """When they last proved who they are (claim `auth_time`), if the provider says it."""


class TokenHeader(msgspec.Struct, frozen=True):
    """The header of a token, before its signature is checked."""

    alg: str
    kid: str | None = None


def parse_header(token: str) -> TokenHeader:
    """Return the header of a token. Raises TokenRefused if it is malformed or names another algorithm."""
    if len(token) > MAX_TOKEN_LENGTH:
        raise TokenRefused("The ID token is too long")
    text = token.partition(".")[0]
    try:
        header = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=TokenHeader)
    except (ValueError, binascii.Error, RecursionError, msgspec.MsgspecError):
        raise TokenRefused("The ID token is malformed") from None
    if header.alg not in KEY_TYPES:
        raise TokenRefused(f"The ID token is signed with {header.alg[:20]}; only {', '.join(KEY_TYPES)} are accepted")
    return header


def import_keys(keys: Sequence[Mapping[str, Any]]) -> list[SigningKey]:
    """Return the public keys of a provider that can sign tokens. Others are ignored."""
    return [key for item in keys if item.get("use", "sig") == "sig" and (key := _import_key(item)) is not None]


def select_key(keys: Sequence[SigningKey], header: TokenHeader) -> SigningKey | None:
    """Return the key that a token names, or the only one of its type if it names none."""
    usable = [key for key in keys if isinstance(key, KEY_TYPES[header.alg]) and key.get("alg") in (None, header.alg)]
    if header.kid is not None:
        usable = [key for key in usable if key.get("kid") == header.kid]
    return usable[0] if len(usable) == 1 else None


def verify_id_token(
    token: str, key: SigningKey, expected: ExpectedToken, access_token: str | None, now_s: int
) -> ProviderIdentity:
    """Check the signature and the claims of a token, and return who signed in. Raises TokenRefused."""
    try:
        decoded = jwt.decode(token, key, algorithms=[parse_header(token).alg])
    except (JoseError, ValueError, TypeError, RecursionError):
        raise TokenRefused("The signature of the ID token is not valid") from None
    claims = decoded.claims
    _check_claims(decoded, expected, access_token, now_s)
    if not _is_email_verified(claims, expected.issuer):
        raise TokenRefused("The provider does not say that the email is verified (claim email_verified)")
    return ProviderIdentity(_subject(claims), _email(claims), _name(claims), _proved_at(claims))


def _check_claims(decoded: jwt.Token, expected: ExpectedToken, access_token: str | None, now_s: int) -> None:
    options = {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.oauth_client},
    }
    params = {"nonce": expected.nonce, "client_id": expected.oauth_client, "access_token": access_token}
    try:
        CodeIDToken(decoded.claims, decoded.header, options, params).validate(now_s, LEEWAY_S)
    except JoseError as error:
        raise TokenRefused(f"The ID token is not valid: {error.description or error.error}") from None
    except (ValueError, TypeError, AttributeError):
        raise TokenRefused("The ID token has claims that are not valid") from None
    if decoded.claims["aud"] not in (expected.oauth_client, [expected.oauth_client]):
        raise TokenRefused("The ID token is also for other clients (claim aud)")


def _is_email_verified(claims: Mapping[str, Any], issuer: str) -> bool:
    if issuer.startswith(MICROSOFT) and "email_verified" not in claims:
        return claims.get("xms_edov") in (True, "1", "true")
    return claims.get("email_verified") is True


def _subject(claims: Mapping[str, Any]) -> str:
    subject: str = claims["sub"]
    if not 1 <= len(subject) <= MAX_SUBJECT_LENGTH or not subject.isprintable():
        raise TokenRefused("The ID token has no usable subject (claim sub)")
    return subject


def _email(claims: Mapping[str, Any]) -> str:
    errors = Errors()
    email = EMAIL.parse(claims.get("email"), "email", errors)
    if errors or email is None:
        raise TokenRefused("The ID token has no usable email (claim email)")
    return email


def _name(claims: Mapping[str, Any]) -> str:
    name = claims.get("name")
    return "".join(filter(str.isprintable, name))[:MAX_NAME_LENGTH] if isinstance(name, str) else ""


def _proved_at(claims: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromtimestamp(claims["auth_time"], UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _import_key(item: Mapping[str, Any]) -> SigningKey | None:
    """Return the public part of a key, or None if it is not usable."""
    try:
        if item.get("kty") == "EC":
            return ECKey.import_key(
                {name: item[name] for name in ("kty", "crv", "x", "y", "kid", "alg") if name in item}
            )
        if item.get("kty") != "RSA":
            return None
        key = RSAKey.import_key({name: item[name] for name in ("kty", "n", "e", "kid", "alg") if name in item})
    except (JoseError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return key if key.raw_value.key_size >= MIN_RSA_BITS else None
