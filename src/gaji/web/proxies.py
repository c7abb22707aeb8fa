"""Proxies before the service: whom they speak for.

A proxy that terminates TLS comes from one address, in plain HTTP, and says in headers who came to it and how. Anyone
can write such headers, so only what a trusted proxy says is believed.
"""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from litestar.types import HTTPScope

from gaji.core.settings import Network

Address = IPv4Address | IPv6Address


class TrustedProxies:
    """The proxies that are trusted, by the networks that they are in."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = networks
        self._trusts = lru_cache(maxsize=1024)(self._looks_trusted)

    def apply_forwarded_headers(self, scope: HTTPScope) -> None:
        """Put in place of a trusted proxy whoever came to it, and the way that they came."""
        client = scope["client"]
        if client is None or not self._trusts(client[0]):
            return
        visitors: list[str] = []
        for name, value in scope["headers"]:
            if name == b"x-forwarded-for":
                visitors += value.decode("latin-1").split(",")
            elif name == b"x-forwarded-proto" and value in (b"http", b"https"):
                scope["scheme"] = value.decode()
        if visitors:
            scope["client"] = (self._farthest(client[0], visitors), 0)

    def _farthest(self, peer: str, visitors: Sequence[str]) -> str:
        """Whom the nearest trusted proxies saw: each adds its visitor at the end, and what is before may be made up."""
        for one in reversed(visitors):
            address = _address(one)
            if not self._trusts(peer) or address is None:
                return peer
            peer = str(address)
        return peer

    def _looks_trusted(self, text: str) -> bool:
        address = _address(text)
        return address is not None and any(address in network for network in self._networks)


def _address(text: str) -> Address | None:
    """The address that is meant; some proxies add the port, and IPv4 can come in the clothes of IPv6."""
    plain = text.strip()
    if plain.startswith("["):
        plain = plain[1:].partition("]")[0]
    elif plain.count(":") == 1:
        plain = plain.partition(":")[0]
    try:
        address = ip_address(plain)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
