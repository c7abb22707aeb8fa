"""Requests to URLs that users choose: webhooks, and the providers of single sign-on.

Without checks, users could reach services inside the operator's network. So only public addresses are allowed, and
others if the operator lists them. Names are resolved for every request, and the connection is made to the address that
was checked. Redirects are not followed, and no proxy is used.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

import httpx

from gaji import __version__
from gaji.core.settings import AllowedReceivers

IPAddress = IPv4Address | IPv6Address

REFUSED_IPV4 = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, and metadata of some clouds
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # platform services of Azure
        "169.254.0.0/16",  # link-local, and metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, and metadata of Oracle Cloud
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
PUBLIC_IPV6 = ip_network("2000::/3")
"""Everything else is loopback, link-local, unique-local, multicast, mapped, translated or reserved."""
REFUSED_IPV6 = tuple(
    ip_network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which contains an IPv4 address
        "3fff::/20",  # documentation
    )
)

DNS_THREADS = 16
_resolver = ThreadPoolExecutor(DNS_THREADS, thread_name_prefix="outgoing-dns")
"""Threads of its own: a slow name server must not delay anything else."""


class AddressRefused(Exception):
    """Nothing may be sent to this address. The message is the reason for the user."""


@dataclass(frozen=True)
class Receiver:
    """A checked address, and the name that it was resolved from."""

    url: SplitResult
    address: IPAddress

    @property
    def address_url(self) -> str:
        """The URL with the address in the place of the name."""
        literal = f"[{self.address}]" if self.address.version == 6 else str(self.address)
        port = f":{self.url.port}" if self.url.port else ""
        return self.url._replace(netloc=f"{literal}{port}").geturl()


def open_client(timeout: httpx.Timeout) -> httpx.AsyncClient:
    """Return a client for requests to checked addresses.

    Its connections are not reused, because one address can have receivers of several names.
    """
    return httpx.AsyncClient(
        timeout=timeout,
        limits=httpx.Limits(max_keepalive_connections=0),
        headers={"User-Agent": f"Gaji/{__version__}"},
        follow_redirects=False,
        trust_env=False,
        verify=_tls_context(),
    )


def build_request(
    client: httpx.AsyncClient, method: str, receiver: Receiver, headers: Mapping[str, str], body: bytes | None
) -> httpx.Request:
    """Return a request to the checked address of a receiver, for the name that it was resolved from."""
    return client.build_request(
        method,
        receiver.address_url,
        content=body,
        headers={**headers, "Host": receiver.url.netloc},
        extensions={"sni_hostname": receiver.url.hostname},
    )


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context of all clients. Loading the certificates takes a while."""
    return httpx.create_ssl_context(trust_env=False)


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL. Raises AddressRefused if it cannot be the URL of an endpoint."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("The URL is not valid") from None
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0:
        raise AddressRefused("The URL is not valid")
    if not parts.hostname.isascii() or any(character <= " " for character in url):
        raise AddressRefused("The URL has characters that must be encoded")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefused("The URL must not have a user name, a password or a fragment")
    return parts


def check_url(url: str, allowed: AllowedReceivers) -> SplitResult:
    """Return the parts of a URL that may be that of an endpoint, as far as can be told without its address."""
    parts = split_url(url)
    host = parts.hostname or ""
    literal = _parse_address(host)
    if literal is not None:
        require_allowed(host, literal, allowed)
    if parts.scheme == "http" and not _may_be_allowed(host, literal, allowed):
        raise AddressRefused("The URL must begin with https")
    return parts


async def resolve(url: str, allowed: AllowedReceivers) -> Receiver:
    """Resolve and check the address of a URL. Raises AddressRefused if any of its addresses is not allowed."""
    parts = check_url(url, allowed)
    host = parts.hostname or ""
    addresses = await _look_up(host, parts.port or (443 if parts.scheme == "https" else 80))
    for address in addresses:
        require_allowed(host, address, allowed)
        if parts.scheme == "http" and not _is_listed(host, address, allowed):
            raise AddressRefused("The URL must begin with https")
    return Receiver(parts, addresses[0])


def require_allowed(host: str, address: IPAddress, allowed: AllowedReceivers) -> None:
    """Raise AddressRefused unless an address is public or the operator has listed it."""
    if not _is_listed(host, address, allowed) and not is_public(address):
        raise AddressRefused(f"{address} is not a public address")


def is_public(address: IPAddress) -> bool:
    """Return whether an address belongs to the public internet.

    >>> is_public(ip_address("8.8.8.8")), is_public(ip_address("10.1.2.3")), is_public(ip_address("::ffff:8.8.8.8"))
    (True, False, False)
    """
    if isinstance(address, IPv6Address):
        return address in PUBLIC_IPV6 and not any(address in network for network in REFUSED_IPV6)
    return not any(address in network for network in REFUSED_IPV4)


def _is_listed(host: str, address: IPAddress, allowed: AllowedReceivers) -> bool:
    in_network = any(address.version == network.version and address in network for network in allowed.networks)
    return in_network or host.lower() in allowed.hosts


def _may_be_allowed(host: str, literal: IPAddress | None, allowed: AllowedReceivers) -> bool:
    """Return whether the operator has listed an address, or may have listed that of a name."""
    return _is_listed(host, literal, allowed) if literal else bool(allowed.networks) or host.lower() in allowed.hosts


def _parse_address(host: str) -> IPAddress | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


async def _look_up(host: str, port: int) -> Sequence[IPAddress]:
    """Return the addresses of a name. Other notations of an address, such as `127.1`, are resolved too."""
    loop = asyncio.get_running_loop()
    try:
        rows = await loop.run_in_executor(_resolver, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):
        raise AddressRefused(f"{host} has no address") from None
    # An IPv6 address can have a zone, such as %eth0, which is not part of the address.
    return [ip_address(str(row[4][0]).split("%")[0]) for row in rows]
