"""Who calls: the API key in the Authorization header, looked up once and then remembered for a minute.

Remembering is safe because every transaction shows the database the access version that was remembered: a key that was
revoked, limited or whose user changed is refused there, and looked up again.
"""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from gaji.core.errors import Unauthenticated
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller

REMEMBERED_S = 60
MOST_REMEMBERED = 10_000

FindCaller = Callable[[Pool, Vault, str], Awaitable[Caller | None]]
"""Looks up an API key: `gaji.identity` provides it."""


class Authenticator:
    """Turns API keys into callers."""

    def __init__(self, pool: Pool, vault: Vault, find_caller: FindCaller) -> None:
        self._pool = pool
        self._vault = vault
        self._find_caller = find_caller
        self._remembered: dict[str, tuple[Caller, float]] = {}

    def cached_caller(self, key: str | None) -> Caller | None:
        """The caller with this key, if it was looked up lately."""
        found = self._remembered.get(key or "")
        if found is None or found[1] <= time.monotonic() or _expired(found[0]):
            return None
        return found[0]

    async def find_caller(self, key: str | None) -> Caller:
        """The caller with this key, looked up now; raises Unauthenticated when there is none."""
        if not key or " " in key:
            raise Unauthenticated("Send your API key in the Authorization header, without any scheme word")
        caller = await self._find_caller(self._pool, self._vault, key)
        if caller is None:
            self.forget(key)
            raise Unauthenticated("This API key is not valid: it is unknown, revoked or expired")
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[key] = (caller, time.monotonic() + REMEMBERED_S)
        return caller

    def forget(self, key: str) -> None:
        """Look this key up anew next time."""
        self._remembered.pop(key, None)


def _expired(caller: Caller) -> bool:
    return caller.expires_at is not None and caller.expires_at <= datetime.now(UTC)
