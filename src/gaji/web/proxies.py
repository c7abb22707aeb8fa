"""X-Forwarded-* headers of trusted reverse proxies.

A proxy that terminates TLS connects over plain HTTP from its own address, and reports the original address and scheme
in headers. Any client can send such headers, so only those of trusted proxies are used.
"""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from gaji.core.settings import Network
from gaji.web.asgi import HTTPScope

Address = IPv4Address | IPv6Address


class TrustedProxies:
    """The networks whose proxies are trusted."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = networks
        self._is_trusted = lru_cache(maxsize=1024)(self._matches_network)

    def apply_forwarded_headers(self, scope: HTTPScope) -> None:
        """Replace the address and scheme of a trusted proxy by those of its client."""
        client = scope["client"]
        if client is None or not self._is_trusted(client[0]):
            return
        forwarded: list[str] = []
        for name, value in scope["headers"]:
            if name == b"x-forwarded-for":
                forwarded += value.decode("latin-1").split(",")
            elif name == b"x-forwarded-proto" and value in (b"http", b"https"):
                scope["scheme"] = value.decode()
        if forwarded:
            scope["client"] = (self._original_client(client[0], forwarded), 0)

    def _original_client(self, peer: str, forwarded: Sequence[str]) -> str:
        """Return the last address that a trusted proxy reported.

        Each proxy appends the address of its client. What is before the entries of trusted proxies may be forged.
        """
        for text in reversed(forwarded):
            address = _parse_address(text)
            if not self._is_trusted(peer) or address is None:
                return peer
            peer = str(address)
        return peer

    def _matches_network(self, text: str) -> bool:
        address = _parse_address(text)
        return address is not None and any(address in network for network in self._networks)


def _parse_address(text: str) -> Address | None:
    """Return the address. Some proxies append the port, and IPv4 may be mapped to IPv6."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
