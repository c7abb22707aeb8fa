"""Requests to identity providers: metadata, keys and codes."""

import asyncio
from collections.abc import Awaitable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest

from gaji.core.settings import AllowedReceivers
from gaji.identity.single_sign_on import provider as module
from gaji.identity.single_sign_on.id_tokens import TokenHeader
from gaji.identity.single_sign_on.provider import ProviderClient, ProviderError
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, HOST, IdentityProvider, new_key, running_provider

DISCOVERY = "/.well-known/openid-configuration"


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    """A provider on the loopback."""
    with running_provider() as running:
        yield running


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


ALLOWED = AllowedReceivers(hosts=frozenset({HOST}))
OTHERS_ALLOWED = AllowedReceivers((ip_network("10.1.0.0/16"),))


def client(clock: Clock | None = None, allowed: AllowedReceivers = ALLOWED) -> ProviderClient:
    return ProviderClient(allowed, clock or Clock())


def run(work: Awaitable[Any]) -> Any:
    async def wait() -> Any:
        return await work

    return asyncio.run(wait())


def test_the_metadata_is_loaded_once_an_hour(provider: IdentityProvider) -> None:
    clock = Clock()
    asking = client(clock)

    async def load() -> None:
        await asking.load_metadata(provider.issuer)
        clock.now += 3599
        await asking.load_metadata(provider.issuer)
        assert provider.requests == [DISCOVERY]
        clock.now += 2
        await asking.load_metadata(provider.issuer)
        await asking.load_metadata(provider.issuer, fresh=True)
        assert provider.requests == [DISCOVERY] * 3

    run(load())


def test_a_failure_is_kept_for_a_minute(provider: IdentityProvider) -> None:
    clock = Clock()
    asking = client(clock)
    provider.metadata = {"issuer": "https://another.example.com"}

    async def load() -> None:
        for _ in range(2):
            with pytest.raises(ProviderError, match="names another issuer"):
                await asking.load_metadata(provider.issuer)
        assert provider.requests == [DISCOVERY]
        provider.metadata, clock.now = {}, clock.now + 61
        assert (await asking.load_metadata(provider.issuer)).issuer == provider.issuer

    run(load())


def test_new_keys_are_loaded_at_most_once_a_minute(provider: IdentityProvider) -> None:
    clock = Clock()
    asking = client(clock)

    async def rotate() -> None:
        metadata = await asking.load_metadata(provider.issuer)
        assert (await asking.find_key(metadata, TokenHeader("RS256", "first"))).kid == "first"
        provider.keys = [new_key("second")]
        for _ in range(3):
            with pytest.raises(ProviderError, match="no key with the ID"):
                await asking.find_key(metadata, TokenHeader("RS256", "second"))
        assert provider.requests.count("/jwks") == 1
        clock.now += 60
        assert (await asking.find_key(metadata, TokenHeader("RS256", "second"))).kid == "second"
        with pytest.raises(ProviderError, match="no key with the ID"):
            await asking.find_key(metadata, TokenHeader("RS256", "first"))
        assert provider.requests.count("/jwks") == 2

    run(rotate())


def test_keys_that_were_withdrawn_are_used_for_an_hour_at_most(provider: IdentityProvider) -> None:
    clock = Clock()
    asking = client(clock)

    async def withdraw() -> None:
        metadata = await asking.load_metadata(provider.issuer)
        await asking.find_key(metadata, TokenHeader("RS256", "first"))
        provider.keys, clock.now = [new_key("second")], clock.now + 3600
        with pytest.raises(ProviderError):
            await asking.find_key(metadata, TokenHeader("RS256", "first"))

    run(withdraw())


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"issuer": "https://another.example.com"}, "names another issuer"),
        ({"token_endpoint": None}, "is not valid"),
        ({"jwks_uri": 7}, "is not valid"),
        ({"jwks_uri": "http://169.254.169.254/latest"}, "cannot be used"),
        ({"token_endpoint": "https://10.0.0.1/token"}, "cannot be used"),
        ({"token_endpoint": "file:///etc/passwd"}, "cannot be used"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "cannot be used"),
        ({"padding": "x" * 300_000}, "too large"),
    ],
    ids=str,
)
def test_a_wrong_discovery_document_is_refused(
    provider: IdentityProvider, metadata: dict[str, Any], reason: str
) -> None:
    provider.metadata = metadata
    with pytest.raises(ProviderError, match=reason):
        run(client().load_metadata(provider.issuer))


def test_addresses_inside_the_network_are_refused(provider: IdentityProvider) -> None:
    with pytest.raises(ProviderError, match="not a public address"):
        run(client(allowed=OTHERS_ALLOWED).load_metadata(provider.issuer))
    assert provider.requests == []


def test_a_name_that_leads_inside_the_network_is_refused(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = [(2, 1, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: answer)
    provider.metadata = {"jwks_uri": "https://keys.example.com/"}
    with pytest.raises(ProviderError, match="not a public address"):
        run(client(allowed=OTHERS_ALLOWED).load_metadata("https://login.example.com"))


def test_a_provider_that_does_not_answer(provider: IdentityProvider) -> None:
    with pytest.raises(ProviderError, match="connection to the provider failed"):
        run(client().load_metadata(f"http://{HOST}:1"))
    with pytest.raises(ProviderError, match="status 404"):
        run(client().load_metadata(f"{provider.issuer}/realms/unknown"))


def test_a_slow_provider_is_given_up(provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOTAL_S", 0.0)
    with pytest.raises(ProviderError, match="did not answer in time"):
        run(client().load_metadata(provider.issuer))


def test_a_code_is_exchanged_once_with_its_verifier(provider: IdentityProvider) -> None:
    asking = client()

    async def exchange(verifier: str) -> str:
        metadata = await asking.load_metadata(provider.issuer)
        answer = await asking.exchange_code(
            metadata, CLIENT_ID, CLIENT_SECRET, "the code", "https://gaji.example/cb", verifier
        )
        return answer.id_token

    query = {
        "redirect_uri": "https://gaji.example/cb",
        "nonce": "n",
        "code_challenge_method": "S256",
        "code_challenge": "JBbiqONGWPaAmwXk_8bT6UnlPfrn65D32eZlJS-zGG0",
    }
    provider.codes["the code"] = query
    assert run(exchange("test-verifier")).count(".") == 2
    with pytest.raises(ProviderError, match="invalid_grant"):
        run(exchange("test-verifier"))
    provider.codes["the code"] = query
    with pytest.raises(ProviderError, match="invalid_grant"):
        run(exchange("another verifier"))


def test_the_secret_is_in_the_body_where_the_provider_wants_it(provider: IdentityProvider) -> None:
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    metadata = run(client().load_metadata(provider.issuer))
    assert metadata.auth_method == "client_secret_post"
