"""Requests of people who are not signed in for mail. Nothing tells whether there is such a user."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity import sign_in_limits
from gaji.identity.schemas import MAX_EMAIL_LENGTH
from gaji.identity.sign_in_limits import AttemptLimit

MAX_REQUESTS = 3
"""For one email. After these, requests must wait."""
MIN_ANSWER_S = 0.5
"""The time of an answer does not tell whether there is such a user."""


async def queue_on_request(
    pool: Pool, vault: Vault, email: str, address: str, queue: Callable[[asyncpg.Connection, str], Awaitable[None]]
) -> None:
    """Queue mail for an email with `queue`, which does nothing if there is no such user. Raises TooManyRequests."""
    email = email.strip()[:MAX_EMAIL_LENGTH]
    subject = vault.lookup_hash("password reset email", email.lower())
    by_address = AttemptLimit(
        vault.lookup_hash("password reset address", sign_in_limits.rate_limit_key(address)),
        sign_in_limits.FREE_FAILURES_OF_ADDRESS,
    )
    async with pooled_connection(pool) as connection:
        await sign_in_limits.record_attempt(connection, subject, [AttemptLimit(subject, MAX_REQUESTS), by_address])

    async def work() -> None:
        # PostgreSQL lower-cases non-ASCII characters differently, and rejects NUL.
        if email.isascii() and email.isprintable():
            async with pooled_connection(pool) as connection:
                await queue(connection, email)

    await asyncio.gather(asyncio.sleep(MIN_ANSWER_S), work())
