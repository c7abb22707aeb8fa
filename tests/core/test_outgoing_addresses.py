"""The addresses that webhooks may be sent to."""

import asyncio
import socket
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from gaji.core.outgoing_addresses import AddressRefused, check_url, is_public, resolve
from gaji.core.settings import AllowedReceivers, Settings, SettingsError

NOTHING = AllowedReceivers()
REFUSED_ADDRESSES = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1 127.255.255.254
168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192
192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
::ffff:169.254.169.254 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::a00:1 64:ff9b:1::a00:1 100::1 2001::1 2001:db8::1
2001:10::1 2002:7f00:1:: 2002:a00:1:: 3fff::1 fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 fe80::a9fe:a9fe
fec0::1 ff02::1 ff0e::1
"""
REFUSED = REFUSED_ADDRESSES.split()
PUBLIC = ["1.1.1.1", "8.8.8.8", "52.95.110.1", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450:4001::1"]
OTHER_NOTATIONS = ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "localhost"]


def literal(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def test_the_table_is_long_enough() -> None:
    assert len(set(REFUSED)) >= 40


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    for url in (f"https://{literal(address)}/", f"https://{literal(address)}:8443/x?y=1"):
        with pytest.raises(AddressRefused, match="not a public address"):
            check_url(url, NOTHING)
        with pytest.raises(AddressRefused, match="not a public address"):
            asyncio.run(resolve(url, NOTHING))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_accepted(address: str) -> None:
    receiver = asyncio.run(resolve(f"https://{literal(address)}:8443/x", NOTHING))
    assert receiver.address == ip_address(address)
    assert receiver.address_url == f"https://{literal(address)}:8443/x"


@pytest.mark.parametrize("host", OTHER_NOTATIONS)
def test_other_notations_of_loopback_are_refused_when_they_are_resolved(host: str) -> None:
    with pytest.raises(AddressRefused):
        asyncio.run(resolve(f"https://{host}/", NOTHING))


@pytest.mark.parametrize(
    "url",
    [
        "http://hr.example.com/",
        "ftp://hr.example.com/",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "hr.example.com",
        "https://user:secret@hr.example.com/",
        "https://user@hr.example.com/",
        "https://hr.example.com/#part",
        "https://hr.example.com:0/",
        "https://hr.example.com:99999/",
        "https://hr.example.com:x/",
        "https://[::1/",
        "https://hr.example.com/a b",
        "https://hr\u3002example.com/",
    ],
)
def test_a_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url, NOTHING)


def addresses(*found: str) -> Any:
    """Return a function like getaddrinfo that finds these addresses."""
    return lambda host, port, **_: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


def test_one_private_address_of_a_name_is_enough_to_refuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", addresses("8.8.8.8", "10.0.0.1"))
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is not a public address"):
        asyncio.run(resolve("https://hr.example.com/", NOTHING))


def test_a_name_is_resolved_at_every_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", addresses("8.8.8.8"))
    assert asyncio.run(resolve("https://hr.example.com/", NOTHING)).address_url == "https://8.8.8.8/"
    monkeypatch.setattr(socket, "getaddrinfo", addresses("169.254.169.254"))
    with pytest.raises(AddressRefused):
        asyncio.run(resolve("https://hr.example.com/", NOTHING))


def test_a_name_without_an_address_is_refused() -> None:
    with pytest.raises(AddressRefused, match="has no address"):
        asyncio.run(resolve("https://receiver.invalid/", NOTHING))


def test_the_operator_allows_networks_and_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = Settings.from_environment({"GAJI_WEBHOOK_ALLOW": "10.1.0.0/16, fd00::/8, HR.internal"}).webhook_allow
    assert allowed == AllowedReceivers(
        networks=(ip_network("10.1.0.0/16"), ip_network("fd00::/8")), hosts=frozenset({"hr.internal"})
    )
    for url in ("http://10.1.2.3/", "https://10.1.2.3/", "http://[fd00::1]:8080/"):
        asyncio.run(resolve(url, allowed))
    for url in ("http://10.2.0.1/", "https://10.2.0.1/", "http://8.8.8.8/", "https://127.0.0.1/"):
        with pytest.raises(AddressRefused):
            asyncio.run(resolve(url, allowed))
    monkeypatch.setattr(socket, "getaddrinfo", addresses("192.168.7.7"))
    assert str(asyncio.run(resolve("http://hr.internal/", allowed)).address) == "192.168.7.7"
    with pytest.raises(AddressRefused):
        asyncio.run(resolve("https://other.internal/", allowed))
    monkeypatch.setattr(socket, "getaddrinfo", addresses("8.8.8.8"))
    with pytest.raises(AddressRefused, match="https"):
        asyncio.run(resolve("http://other.example.com/", allowed))


@pytest.mark.parametrize("text", ["10.0.0.1/8", "hr internal", "https://hr.internal"])
def test_a_wrong_setting_is_rejected(text: str) -> None:
    with pytest.raises(SettingsError, match="GAJI_WEBHOOK_ALLOW"):
        Settings.from_environment({"GAJI_WEBHOOK_ALLOW": text})
