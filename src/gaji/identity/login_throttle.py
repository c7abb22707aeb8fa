"""Attempts to sign in: counted before what was given is looked at, so that many at once are counted too."""

from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, IPv6Network

import asyncpg

from gaji.core.errors import TooManyRequests
from gaji.core.vault import Vault
from gaji.identity import session_repository as store

COUNTED = timedelta(minutes=15)
MOST_FAILURES = 10
"""With one email, or with the codes of one user, in the time that counts."""
MOST_FAILURES_OF_ADDRESS = 50
"""Of one address, which an office shares."""
HOME_BITS = 64
"""Of an IPv6 address, those that say which home or office it is in."""


def of_email(vault: Vault, email: str) -> bytes:
    """What attempts with a password are counted by."""
    return vault.lookup_hash("sign-in email", email.lower())


def of_codes(vault: Vault, user_id: int) -> bytes:
    """What attempts with a code are counted by; apart from passwords, which the right one lets be forgotten."""
    return vault.lookup_hash("sign-in codes", str(user_id))


def of_address(vault: Vault, address: str) -> bytes:
    """What attempts are counted by, whoever makes them."""
    return vault.lookup_hash("sign-in address", neighbourhood(address))


def neighbourhood(address: str) -> str:
    """An address as it is counted: with IPv6 everyone has 2⁶⁴ of them to come from, so that their network counts.

    >>> neighbourhood("203.0.113.9"), neighbourhood("2001:db8::1"), neighbourhood("2001:db8::2:3"), neighbourhood("")
    ('203.0.113.9', '2001:db8::/64', '2001:db8::/64', '')
    >>> neighbourhood("::ffff:203.0.113.9"), neighbourhood("fe80::1%eth0")
    ('203.0.113.9', 'fe80::/64')
    """
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((int(found), HOME_BITS), strict=False))


async def note(connection: asyncpg.Connection, subjects: Sequence[bytes], address: bytes | None = None) -> None:
    """Note an attempt; raises TooManyRequests when there were too many lately."""
    noted = [*subjects, address] if address else subjects
    tries = await store.begin_sign_in(connection, noted, COUNTED)
    limits = [*[MOST_FAILURES] * len(subjects), MOST_FAILURES_OF_ADDRESS]
    if any(count > most for count, most in zip(tries, limits, strict=False)):
        raise _too_many()


def _too_many() -> TooManyRequests:
    minutes = int(COUNTED.total_seconds() // 60)
    return TooManyRequests(
        f"There were too many attempts to sign in; please try again in {minutes} minutes",
        headers={"Retry-After": str(int(COUNTED.total_seconds()))},
    )
