"""Authentication by the API key in the Authorization header. Callers are cached for a minute.

Caching is safe because every transaction passes the cached access version to the database. If the key was revoked or
limited, or its user changed, the database raises an error, and the caller is looked up again.
"""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from gaji.core.errors import Unauthenticated
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller

CACHE_S = 60
MAX_CACHED = 10_000

FindCaller = Callable[[Pool, Vault, str], Awaitable[Caller | None]]
"""Looks up an API key. Provided by `gaji.identity`."""


class Authenticator:
    """Finds the callers of API keys."""

    def __init__(self, pool: Pool, vault: Vault, find_caller: FindCaller) -> None:
        self._pool = pool
        self._vault = vault
        self._find_caller = find_caller
        self._cache: dict[str, tuple[Caller, float]] = {}

    def cached_caller(self, key: str | None) -> Caller | None:
        """Return the caller of a key, if it is in the cache."""
        entry = self._cache.get(key or "")
        if entry is None or entry[1] <= time.monotonic() or _is_expired(entry[0]):
            return None
        return entry[0]

    async def find_caller(self, key: str | None) -> Caller:
        """Look up the caller of a key. Raises Unauthenticated."""
        if not key or " " in key:
            raise Unauthenticated("Send your API key in the Authorization header, with or without Bearer")
        caller = await self._find_caller(self._pool, self._vault, key)
        if caller is None:
            self.forget(key)
            raise Unauthenticated("This API key is not valid: it is unknown, revoked or expired")
        if len(self._cache) >= MAX_CACHED:
            self._cache.clear()
        self._cache[key] = (caller, time.monotonic() + CACHE_S)
        return caller

    def forget(self, key: str) -> None:
        """Remove a key from the cache."""
        self._cache.pop(key, None)


def bare_key(authorization: str | None) -> str | None:
    """Return the API key of an Authorization header, which may start with `Bearer`.

    >>> bare_key("gaji_1"), bare_key("Bearer gaji_1"), bare_key(None)
    ('gaji_1', 'gaji_1', None)
    """
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key else authorization


def _is_expired(caller: Caller) -> bool:
    return caller.expires_at is not None and caller.expires_at <= datetime.now(UTC)
