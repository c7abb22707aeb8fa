"""Requests to identity providers: their metadata and keys, which are kept for an hour, and the exchange of codes.

The administrator of an account chooses the provider, so its addresses are checked like those of webhooks. Its answers
are limited in size and time, and each provider in the number of requests that are under way.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import httpx
import msgspec
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_token_request
from authlib.oidc.discovery import get_well_known_url

from gaji.core.errors import Unavailable
from gaji.core.outgoing_addresses import AddressRefused, build_request, check_url, open_client, resolve
from gaji.core.settings import AllowedReceivers, Settings
from gaji.identity.single_sign_on.id_tokens import SigningKey, TokenHeader, import_keys, select_key

TIMEOUT = httpx.Timeout(5)
TOTAL_S = 10.0
MAX_RESPONSE_BYTES = 262_144
LIFETIME_S = 3600.0
"""Of metadata and keys."""
REFRESH_AFTER_S = 60.0
"""Keys are loaded again for an unknown key ID, and metadata after a failure, at most once in this time."""
MAX_PROVIDERS = 500
MAX_REQUESTS = 8
"""Under way to one provider, in each server process."""
MAX_KEYS = 100
PLAIN_JSON = {"Accept": "application/json", "Accept-Encoding": "identity"}
"""Not compressed, so that the limit of the size holds."""
FORM = "application/x-www-form-urlencoded"
SECRET_IN_BODY = "client_secret_post"  # noqa: S105 - a method

T = TypeVar("T")


class ProviderError(Exception):
    """The provider cannot be used. The message is the reason, for the administrator."""


class ProviderMetadata(msgspec.Struct, frozen=True):
    """The part of the discovery document that is used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ()
    authorization_response_iss_parameter_supported: bool = False

    @property
    def auth_method(self) -> str:
        """How the client secret is sent."""
        methods = self.token_endpoint_auth_methods_supported
        is_only_in_body = SECRET_IN_BODY in methods and "client_secret_basic" not in methods
        return SECRET_IN_BODY if is_only_in_body else "client_secret_basic"


class KeyDocument(msgspec.Struct, frozen=True):
    """The keys of a provider."""

    keys: list[dict[str, Any]]


class TokenAnswer(msgspec.Struct, frozen=True):
    """The answer of the token endpoint."""

    id_token: str
    access_token: str | None = None


class TokenError(msgspec.Struct, frozen=True):
    """The answer of the token endpoint if it refuses the code."""

    error: str


@dataclass
class KnownProvider:
    """What is known of a provider."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    requests: int = 0
    """Under way."""
    metadata: ProviderMetadata | None = None
    metadata_at: float = 0
    failure: str = ""
    """Why the metadata could not be loaded."""
    keys: list[SigningKey] = field(default_factory=list)
    keys_at: float | None = None


class ProviderClient:
    """Asks identity providers, and remembers their metadata and keys."""

    def __init__(self, allowed: AllowedReceivers, clock: Callable[[], float] = time.monotonic) -> None:
        self._allowed = allowed
        self._clock = clock
        self._providers: OrderedDict[str, KnownProvider] = OrderedDict()

    async def load_metadata(self, issuer: str, *, fresh: bool = False) -> ProviderMetadata:
        """Return the metadata of a provider. Raises ProviderError."""
        provider = self._provider(issuer)
        async with provider.lock:
            age_s = self._clock() - provider.metadata_at
            if provider.metadata is not None and age_s < LIFETIME_S and not fresh:
                return provider.metadata
            if provider.failure and age_s < REFRESH_AFTER_S and not fresh:
                raise ProviderError(provider.failure)
            return await self._discover(issuer, provider)

    async def find_key(self, metadata: ProviderMetadata, header: TokenHeader) -> SigningKey:
        """Return the key that a token was signed with. Raises ProviderError."""
        provider = self._provider(metadata.issuer)
        async with provider.lock:
            key = select_key(provider.keys, header) if self._age_of_keys(provider) < LIFETIME_S else None
            if key is None and self._age_of_keys(provider) >= REFRESH_AFTER_S:
                await self._load_keys(metadata, provider)
                key = select_key(provider.keys, header)
        if key is None:
            raise ProviderError("The provider has no key with the ID that the ID token names")
        return key

    async def exchange_code(
        self, metadata: ProviderMetadata, oauth_client: str, secret: str, code: str, redirect_uri: str, verifier: str
    ) -> TokenAnswer:
        """Return the tokens for a code. Raises ProviderError."""
        text = prepare_token_request("authorization_code", "", redirect_uri, code=code, code_verifier=verifier)
        auth = ClientAuth(oauth_client, secret, metadata.auth_method)
        url, headers, body = auth.prepare("POST", metadata.token_endpoint, {"Content-Type": FORM}, text)
        provider = self._provider(metadata.issuer)
        status, answer = await self._request(provider, "POST", url, headers, body.encode())
        if status != httpx.codes.OK:
            raise ProviderError(f"The provider refused the code: {_error_code(answer) or f'status {status}'}")
        return _decode(answer, TokenAnswer, "The token endpoint")

    def _provider(self, issuer: str) -> KnownProvider:
        provider = self._providers.setdefault(issuer, KnownProvider())
        self._providers.move_to_end(issuer)
        if len(self._providers) > MAX_PROVIDERS:
            self._providers.popitem(last=False)
        return provider

    async def _discover(self, issuer: str, provider: KnownProvider) -> ProviderMetadata:
        provider.metadata, provider.failure, provider.metadata_at = None, "", self._clock()
        try:
            status, body = await self._request(provider, "GET", get_well_known_url(issuer, external=True), {})
            if status != httpx.codes.OK:
                raise ProviderError(f"The discovery document of the provider has the status {status}")
            metadata = _decode(body, ProviderMetadata, "The discovery document of the provider")
            self._check(metadata, issuer)
        except ProviderError as error:
            provider.failure = str(error)
            raise
        provider.metadata = metadata
        return metadata

    def _check(self, metadata: ProviderMetadata, issuer: str) -> None:
        if metadata.issuer != issuer:
            raise ProviderError(f"The discovery document names another issuer: {metadata.issuer[:200]}")
        try:
            for url in (metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri):
                check_url(url, self._allowed)
        except AddressRefused as error:
            raise ProviderError(f"The discovery document has an address that cannot be used: {error}") from None

    def _age_of_keys(self, provider: KnownProvider) -> float:
        return float("inf") if provider.keys_at is None else self._clock() - provider.keys_at

    async def _load_keys(self, metadata: ProviderMetadata, provider: KnownProvider) -> None:
        provider.keys_at = self._clock()
        status, body = await self._request(provider, "GET", metadata.jwks_uri, {})
        if status != httpx.codes.OK:
            raise ProviderError(f"The keys of the provider have the status {status}")
        provider.keys = import_keys(_decode(body, KeyDocument, "The document with the keys").keys[:MAX_KEYS])

    async def _request(
        self, provider: KnownProvider, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> tuple[int, bytes]:
        """Return the status and the body of an answer. Raises ProviderError, and Unavailable if too many wait."""
        if provider.requests >= MAX_REQUESTS:
            raise Unavailable("Too many people are signing in right now; try again", retry_after_s=1)
        provider.requests += 1
        try:
            async with asyncio.timeout(TOTAL_S), open_client(TIMEOUT) as client:
                receiver = await resolve(url, self._allowed)
                request = build_request(client, method, receiver, {**PLAIN_JSON, **headers}, body)
                response = await client.send(request, stream=True)
                return response.status_code, await _read_body(response)
        except AddressRefused as error:
            raise ProviderError(f"The address of the provider cannot be used: {error}") from None
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderError("The provider did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            raise ProviderError("The connection to the provider failed") from None
        finally:
            provider.requests -= 1


async def _read_body(response: httpx.Response) -> bytes:
    body = b""
    try:
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MAX_RESPONSE_BYTES:
                raise ProviderError("The answer of the provider is too large")
    finally:
        await response.aclose()
    return body


def _decode(body: bytes, expected: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(body, type=expected)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise ProviderError(f"{name} is not valid") from None


def _error_code(body: bytes) -> str:
    """Return the code with which the token endpoint refused, or an empty text."""
    try:
        return _decode(body, TokenError, "").error[:50]
    except ProviderError:
        return ""


@cache
def current_client() -> ProviderClient:
    """Return the client of this process. Operators allow providers in their network like receivers of webhooks."""
    return ProviderClient(Settings.from_environment().webhook_allow)
