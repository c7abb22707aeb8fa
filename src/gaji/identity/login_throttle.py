"""Limits on sign-in attempts. Attempts are counted before the password is checked, so concurrent ones count too."""

from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, IPv6Network

import asyncpg

from gaji.core.errors import TooManyRequests
from gaji.core.vault import Vault
from gaji.identity import session_repository as repository

WINDOW = timedelta(minutes=15)
MAX_FAILURES = 10
"""For one email, or for the codes of one user, within the window."""
MAX_FAILURES_PER_ADDRESS = 50
"""For one network address, which an office may share."""
IPV6_NETWORK_BITS = 64


def email_subject(vault: Vault, email: str) -> bytes:
    """Return the key under which password attempts are counted."""
    return vault.lookup_hash("sign-in email", email.lower())


def code_subject(vault: Vault, user_id: int) -> bytes:
    """Return the key under which attempts with a code are counted.

    It is separate from the email's, whose count is reset by the right password.
    """
    return vault.lookup_hash("sign-in codes", str(user_id))


def address_subject(vault: Vault, address: str) -> bytes:
    """Return the key under which all attempts from an address are counted."""
    return vault.lookup_hash("sign-in address", rate_limit_key(address))


def rate_limit_key(address: str) -> str:
    """Return the address to count by: for IPv6 the network, because a single user has 2⁶⁴ addresses.

    >>> rate_limit_key("203.0.113.9"), rate_limit_key("")
    ('203.0.113.9', '')
    >>> rate_limit_key("2001:db8::1"), rate_limit_key("2001:db8::2:3")
    ('2001:db8::/64', '2001:db8::/64')
    >>> rate_limit_key("::ffff:203.0.113.9"), rate_limit_key("fe80::1%eth0")
    ('203.0.113.9', 'fe80::/64')
    """
    try:
        parsed = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), IPV6_NETWORK_BITS), strict=False))


async def record_attempt(
    connection: asyncpg.Connection, subjects: Sequence[bytes], address: bytes | None = None
) -> None:
    """Count an attempt. Raises TooManyRequests if there were too many within the window."""
    counted = [*subjects, address] if address else subjects
    counts = await repository.count_attempt(connection, counted, WINDOW)
    limits = [*[MAX_FAILURES] * len(subjects), MAX_FAILURES_PER_ADDRESS]
    if any(count > limit for count, limit in zip(counts, limits, strict=False)):
        raise _too_many_attempts()


def _too_many_attempts() -> TooManyRequests:
    minutes = int(WINDOW.total_seconds() // 60)
    return TooManyRequests(
        f"Too many sign-in attempts; try again in {minutes} minutes",
        headers={"Retry-After": str(int(WINDOW.total_seconds()))},
    )
