"""Limits on sign-in attempts. Attempts are counted before the password is checked, so concurrent ones count too.

After some failures, the delay before the next attempt doubles with each failure. Attempts from a device on which the
user has signed in before are counted by themselves, so that strangers cannot lock a user out there.
"""

import hmac
import secrets
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, IPv6Network
from typing import NamedTuple

import asyncpg

from gaji.core.errors import TooManyRequests
from gaji.core.vault import Vault
from gaji.identity import session_repository as repository

WINDOW = timedelta(hours=2)
"""Failures are counted for this time."""
FIRST_DELAY = timedelta(seconds=30)
LONGEST_DELAY = timedelta(minutes=15)
FREE_FAILURES = 10
"""Without a delay, for an email from one address, for a known device, or for the codes of one user."""
FREE_FAILURES_OF_EMAIL = 100
"""From all unknown devices together."""
FREE_FAILURES_OF_ADDRESS = 50
"""For one network address, which an office may share."""
IPV6_NETWORK_BITS = 64
MINUTE_S = 60
MAX_ID_DIGITS = 19


class AttemptLimit(NamedTuple):
    """What attempts are counted by, and how many failures cause no delay."""

    subject: bytes
    free_failures: int = FREE_FAILURES


def account_subject(vault: Vault, email: str) -> bytes:
    """Return the key under which the password attempts for an email are counted."""
    return vault.lookup_hash("sign-in email", email.lower())


def confirmation_subject(vault: Vault, user_id: int) -> bytes:
    """Return the key under which a signed-in user's attempts to confirm the password are counted."""
    return vault.lookup_hash("password confirmation", str(user_id))


def code_subject(vault: Vault, user_id: int) -> bytes:
    """Return the key under which attempts with a code are counted.

    It is separate from the email's, whose count is reset by the right password.
    """
    return vault.lookup_hash("sign-in codes", str(user_id))


def address_subject(vault: Vault, address: str) -> bytes:
    """Return the key under which all attempts from an address are counted."""
    return vault.lookup_hash("sign-in address", rate_limit_key(address))


def stranger_limits(vault: Vault, email: str, address: str) -> list[AttemptLimit]:
    """Return the limits for an attempt from an unknown device. The last one is that of the address."""
    together = vault.lookup_hash("sign-in email and address", f"{rate_limit_key(address)}/{email.lower()}")
    return [
        AttemptLimit(together),
        AttemptLimit(account_subject(vault, email), FREE_FAILURES_OF_EMAIL),
        address_limit(vault, address),
    ]


def address_limit(vault: Vault, address: str) -> AttemptLimit:
    """Return the limit for all attempts from an address."""
    return AttemptLimit(address_subject(vault, address), FREE_FAILURES_OF_ADDRESS)


def device_limit(vault: Vault, device: str) -> AttemptLimit:
    """Return the limit for attempts from a known device."""
    return AttemptLimit(vault.lookup_hash("sign-in device attempts", device))


def new_device(vault: Vault, user_id: int) -> str:
    """Return the text by which a browser shows that the user has signed in on it."""
    name = secrets.token_urlsafe(12)
    return f"{user_id}.{name}.{_sign_device(vault, user_id, name)}"


def is_known_device(vault: Vault, user_id: int, device: str) -> bool:
    """Return whether the user has signed in on a device."""
    # The first devices did not name their user.
    *_, name, signature = "", *device.split(".")
    return hmac.compare_digest(_sign_device(vault, user_id, name).encode(), signature.encode())


def find_device_user(vault: Vault, device: str) -> int | None:
    """Return the user who has signed in on a device, or None if it is not known. Needs no database."""
    text = device.partition(".")[0]
    is_id = text.isascii() and text.isdigit() and len(text) <= MAX_ID_DIGITS
    return int(text) if is_id and is_known_device(vault, int(text), device) else None


def _sign_device(vault: Vault, user_id: int, name: str) -> str:
    return vault.lookup_hash("sign-in device", f"{user_id}/{name}").hex()


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
    connection: asyncpg.Connection, account: bytes, limits: Sequence[AttemptLimit], noun: str = "sign-in attempts"
) -> None:
    """Count an attempt for an account. Raises TooManyRequests, and counts nothing, if it comes too early.

    `noun` is what the message says there were too many of.
    """
    wait_s = await repository.begin_attempt(
        connection,
        account,
        [limit.subject for limit in limits],
        [limit.free_failures for limit in limits],
        WINDOW,
        FIRST_DELAY,
        LONGEST_DELAY,
    )
    if wait_s:
        raise _too_many_attempts(wait_s, noun)


def _too_many_attempts(wait_s: int, noun: str) -> TooManyRequests:
    minutes = -(-wait_s // MINUTE_S)
    wait = f"{wait_s} seconds" if wait_s < MINUTE_S else "1 minute" if minutes == 1 else f"{minutes} minutes"
    return TooManyRequests(f"Too many {noun}; try again in {wait}", headers={"Retry-After": str(wait_s)})
