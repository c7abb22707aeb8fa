"""X-Forwarded-* headers of trusted and other proxies."""

from ipaddress import ip_network
from typing import Any

import pytest

from gaji.core.settings import Settings, SettingsError
from gaji.web.asgi import HTTPScope
from gaji.web.proxies import TrustedProxies

PROXIES = TrustedProxies([ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")])


def seen(peer: str | None, *visitors: str, scheme: str | None = None) -> tuple[Any, str]:
    """Return the address and scheme of a request after the headers were applied."""
    headers = [(b"x-forwarded-for", visitor.encode()) for visitor in visitors]
    headers += [(b"x-forwarded-proto", scheme.encode())] if scheme else []
    scope: Any = {"client": (peer, 4711) if peer else None, "scheme": "http", "headers": headers}
    read: HTTPScope = scope
    PROXIES.apply_forwarded_headers(read)
    return scope["client"] and scope["client"][0], scope["scheme"]


@pytest.mark.parametrize(
    ("peer", "visitors", "expected"),
    [
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # not a trusted proxy: forged
        ("127.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),  # the first entry may be forged
        ("127.0.0.1", ["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["10.1.2.3, 10.4.5.6"], "10.1.2.3"),
        ("127.0.0.1", ["203.0.113.9:5000"], "203.0.113.9"),
        ("127.0.0.1", ["[2001:db8::1]:5000"], "2001:db8::1"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9, rubbish"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        (None, ["203.0.113.9"], None),
    ],
)
def test_only_addresses_from_trusted_proxies_are_used(
    peer: str | None, visitors: list[str], expected: str | None
) -> None:
    assert seen(peer, *visitors)[0] == expected


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [("127.0.0.1", "https", "https"), ("203.0.113.9", "https", "http"), ("127.0.0.1", "gopher", "http")],
)
def test_the_scheme_of_a_trusted_proxy_is_used(peer: str, forwarded: str, expected: str) -> None:
    assert seen(peer, scheme=forwarded)[1] == expected


def test_without_the_setting_only_proxies_of_the_same_machine_are_trusted() -> None:
    environment = {"GAJI_TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.1,"}
    assert Settings.from_environment({}).trusted_proxies == (ip_network("127.0.0.1"), ip_network("::1"))
    assert Settings.from_environment(environment).trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("192.0.2.1"))
    assert Settings.from_environment({"GAJI_TRUSTED_PROXIES": ""}).trusted_proxies == ()


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.1/8", "10.0.0.0/33"])
def test_an_invalid_network_is_an_error_that_names_the_variable(text: str) -> None:
    with pytest.raises(SettingsError, match="GAJI_TRUSTED_PROXIES"):
        Settings.from_environment({"GAJI_TRUSTED_PROXIES": text})
