"""Sign-in at the provider of an account: authorisation code flow with PKCE.

The state, the nonce and the verifier of a sign-in are in an encrypted cookie of the browser that began it. A sign-in
can come back from the provider once.
"""

import hmac
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg
import msgspec
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from gaji.core.errors import Forbidden, NotFound
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity import access_events, sessions, sign_in_limits
from gaji.identity.access_events import AccessSource
from gaji.identity.sessions import NewSession
from gaji.identity.sign_in_limits import AttemptLimit
from gaji.identity.single_sign_on import repository
from gaji.identity.single_sign_on.id_tokens import (
    ExpectedToken,
    ProviderIdentity,
    TokenRefused,
    parse_header,
    verify_id_token,
)
from gaji.identity.single_sign_on.provider import ProviderClient, ProviderError, ProviderMetadata
from gaji.identity.single_sign_on.service import secret_cell

SCOPE = "openid email profile"
PENDING_LIFETIME = timedelta(minutes=10)
"""The time to sign in at the provider."""
MAX_PARAMETER_LENGTH = 4096
PROVE_AGAIN = {"prompt": "login", "max_age": "0"}

NO_PROVIDER = "This sign-in address is not in use; ask an administrator of your company for the current one"
SIGN_IN_ENDED = "This sign-in has ended or was begun in another browser; begin again"
NOT_RECOGNISED = "Your identity provider did not confirm who you are; ask an administrator of your company"
REFUSALS = {
    "unknown": "You have no access to {account}; ask one of its owners to invite {email}",
    "disabled": "You can no longer sign in to {account}",
    "linked": "{email} belongs to another person at your identity provider; ask the person who runs this server",
}
"""What the user reads."""
REASONS = {
    "unknown": "Nobody with this email has access",
    "disabled": "The user is disabled",
    "linked": "The user is linked to another person of the provider",
}
"""What the administrator reads."""


class SignInRefused(Forbidden):
    """The sign-in failed. The message is for the user."""


@dataclass(frozen=True)
class AccountProvider:
    """The provider of an account."""

    account_id: int
    account_name: str
    issuer: str
    oauth_client: str
    client_secret: str
    email_domains: Sequence[str]


class PendingSignIn(msgspec.Struct, frozen=True):
    """A sign-in that has gone to the provider."""

    sign_in_key: str
    issuer: str
    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    next_path: str
    again: bool
    """Whether the user has to prove again who they are."""
    expires_at: float


@dataclass(frozen=True)
class IdentityRefused(Exception):
    """A person who was confirmed by the provider may not sign in."""

    outcome: str
    reason: str
    """For the administrator."""
    email: str
    user_id: int | None = None


async def is_offered(pool: Pool) -> bool:
    """Return whether an account of this installation has single sign-on."""
    async with pooled_connection(pool) as connection:
        return await repository.is_offered(connection)


async def begin_sign_in(
    pool: Pool,
    vault: Vault,
    client: ProviderClient,
    sign_in_key: str,
    redirect_uri: str,
    next_path: str,
    *,
    again: bool = False,
) -> tuple[str, PendingSignIn]:
    """Return the address of the provider to go to, and what the browser keeps. Raises NotFound and SignInRefused.

    With `again`, the provider asks users to prove who they are, even if they are signed in there.
    """
    provider = await _find_provider(pool, vault, sign_in_key)
    try:
        metadata = await client.load_metadata(provider.issuer)
    except ProviderError:
        raise SignInRefused("Your identity provider does not answer; try again later") from None
    pending = PendingSignIn(
        sign_in_key,
        provider.issuer,
        secrets.token_urlsafe(32),
        secrets.token_urlsafe(32),
        secrets.token_urlsafe(32),
        redirect_uri,
        next_path,
        again,
        time.time() + PENDING_LIFETIME.total_seconds(),
    )
    return _authorisation_url(metadata, provider, pending), pending


async def complete_sign_in(
    pool: Pool,
    vault: Vault,
    client: ProviderClient,
    pending: PendingSignIn | None,
    sign_in_key: str,
    answer: Mapping[str, str],
    source: AccessSource,
) -> NewSession:
    """Begin a session with the answer of the provider. Raises SignInRefused, NotFound and TooManyRequests."""
    pending = _check_pending(pending, sign_in_key, answer.get("state", ""))
    provider = await _find_provider(pool, vault, sign_in_key)
    subject = vault.lookup_hash("single sign-on address", sign_in_limits.rate_limit_key(source.address))
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(
            connection, subject, [AttemptLimit(subject, sign_in_limits.FREE_FAILURES_OF_ADDRESS)]
        )
        if not await repository.use_state(connection, sessions.hash_token(pending.state), PENDING_LIFETIME):
            raise SignInRefused(SIGN_IN_ENDED)
    try:
        identity = await _ask_provider(client, provider, pending, answer)
        return await _begin_session(pool, provider, identity, subject, _proved_at(pending, identity))
    except (ProviderError, TokenRefused) as error:
        await access_events.record_failed_single_sign_on(pool, provider.account_id, None, str(error), source)
        raise SignInRefused(NOT_RECOGNISED) from None
    except IdentityRefused as refusal:
        user_id, reason = refusal.user_id, refusal.reason
        await access_events.record_failed_single_sign_on(pool, provider.account_id, user_id, reason, source)
        sentence = REFUSALS[refusal.outcome].format(account=provider.account_name, email=refusal.email)
        raise SignInRefused(sentence) from None


async def _find_provider(pool: Pool, vault: Vault, sign_in_key: str) -> AccountProvider:
    # PostgreSQL rejects NUL.
    async with pooled_connection(pool) as connection:
        row = await repository.find_provider(connection, sign_in_key) if sign_in_key.isprintable() else None
    if row is None:
        raise NotFound(NO_PROVIDER)
    return AccountProvider(
        account_id=row["account_id"],
        account_name=row["account_name"],
        issuer=row["issuer"],
        oauth_client=row["oauth_client"],
        client_secret=vault.open(row["client_secret_sealed"], secret_cell(row["account_id"])),
        email_domains=row["email_domains"],
    )


def _authorisation_url(metadata: ProviderMetadata, provider: AccountProvider, pending: PendingSignIn) -> str:
    url: str = prepare_grant_uri(
        metadata.authorization_endpoint,
        provider.oauth_client,
        "code",
        redirect_uri=pending.redirect_uri,
        scope=SCOPE,
        state=pending.state,
        nonce=pending.nonce,
        code_challenge=create_s256_code_challenge(pending.verifier),
        code_challenge_method="S256",
        **(PROVE_AGAIN if pending.again else {}),
    )
    return url


def _check_pending(pending: PendingSignIn | None, sign_in_key: str, state: str) -> PendingSignIn:
    """Return the sign-in that an answer belongs to. Raises SignInRefused if this browser did not begin it."""
    if (
        pending is None
        or pending.expires_at < time.time()
        or pending.sign_in_key != sign_in_key
        or not hmac.compare_digest(pending.state.encode(), state.encode())
    ):
        raise SignInRefused(SIGN_IN_ENDED)
    return pending


async def _ask_provider(
    client: ProviderClient, provider: AccountProvider, pending: PendingSignIn, answer: Mapping[str, str]
) -> ProviderIdentity:
    """Return who signed in. Raises ProviderError and TokenRefused."""
    if pending.issuer != provider.issuer:
        raise ProviderError("The provider was changed during the sign-in")
    metadata = await client.load_metadata(provider.issuer)
    _check_answer(metadata, answer)
    tokens = await client.exchange_code(
        metadata, provider.oauth_client, provider.client_secret, answer["code"], pending.redirect_uri, pending.verifier
    )
    key = await client.find_key(metadata, parse_header(tokens.id_token))
    expected = ExpectedToken(provider.issuer, provider.oauth_client, pending.nonce)
    return verify_id_token(tokens.id_token, key, expected, tokens.access_token, int(time.time()))


def _check_answer(metadata: ProviderMetadata, answer: Mapping[str, str]) -> None:
    """Raise ProviderError unless an answer has a code and comes from this provider (RFC 9207)."""
    issuer = answer.get("iss")
    if issuer != metadata.issuer and (issuer or metadata.authorization_response_iss_parameter_supported):
        raise ProviderError("The answer comes from another provider (parameter iss)")
    if error := answer.get("error"):
        code = "".join(character for character in error[:50] if character.isascii() and character.isprintable())
        raise ProviderError(f"The provider answered {code}")
    if not 1 <= len(answer.get("code", "")) <= MAX_PARAMETER_LENGTH:
        raise ProviderError("The answer of the provider has no code")


def _proved_at(pending: PendingSignIn, identity: ProviderIdentity) -> datetime:
    """Return when the user last proved who they are.

    A provider that does not say it may have recognised the browser, unless it was told to ask.
    """
    unknown = datetime.now(UTC) if pending.again else datetime.fromtimestamp(0, UTC)
    return identity.proved_at or unknown


async def _begin_session(
    pool: Pool, provider: AccountProvider, identity: ProviderIdentity, subject: bytes, proved_at: datetime
) -> NewSession:
    domain = identity.email.rpartition("@")[2].lower()
    if provider.email_domains and domain not in provider.email_domains:
        raise IdentityRefused("unknown", "The domain of the email is not allowed", identity.email)
    try:
        return await _begin_session_of(pool, provider, identity, subject, proved_at)
    except asyncpg.UniqueViolationError:
        # Someone became a user with this email at the same moment. Now it is known who.
        return await _begin_session_of(pool, provider, identity, subject, proved_at)


async def _begin_session_of(
    pool: Pool, provider: AccountProvider, identity: ProviderIdentity, subject: bytes, proved_at: datetime
) -> NewSession:
    token = secrets.token_urlsafe(32)
    async with pooled_connection(pool) as connection, connection.transaction():
        person = identity.subject, identity.email, identity.name
        row = await repository.identify(connection, provider.account_id, provider.issuer, *person)
        if row["outcome"] == "found":
            arguments = row["user_id"], sessions.hash_token(token), sessions.SESSION_LIFETIME, subject, proved_at
            await repository.insert_session(connection, *arguments)
            return NewSession(token, is_partial=False, user_id=row["user_id"], acting_user_id=row["user_id"])
    raise IdentityRefused(row["outcome"], REASONS[row["outcome"]], identity.email, row["user_id"])
