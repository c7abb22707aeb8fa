"""Rate limit: a number of requests per minute for each API key, counted for all server processes together.

The count is in the database. So that most requests need no statement for it, a process reserves several requests at a
time: as many as it has used in this minute, but not more than an eighth of what is left. Together the processes never
exceed the limit, except while each counts alone. One that reserved requests and did not use them keeps few from the
others.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg

from gaji.core.errors import TooManyRequests
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, pooled_connection

WINDOW_S = 60
MAX_WINDOWS = 1000
"""Above this number, expired windows are removed."""
CANNOT_CHANGE = (asyncpg.DiskFullError, asyncpg.PostgresIOError, asyncpg.ReadOnlySQLTransactionError)
"""Errors of a database that still serves reads."""
RESERVE = "SELECT granted, unreserved, ends_in_s FROM reserve_requests($1, $2, $3, make_interval(secs => $4))"


@dataclass(frozen=True, slots=True)
class Reservation:
    """The requests that a process may use, and how many no process has reserved."""

    granted: int
    unreserved: int
    ends_in_s: float


Reserve = Callable[[Pool, Caller, int, int], Awaitable[Reservation]]
"""Reserves up to a number of requests for the key of a caller, within a limit."""


@dataclass(slots=True)
class RateWindow:
    """The current minute of one key, in this process."""

    ends_at: float
    used: int = 0
    reserved: int = 0
    """Requests that can still be used without asking the database."""
    unreserved: int | None = None
    """Requests that no process had reserved, when this one last asked."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def needs_reservation(self) -> bool:
        """Whether the next request needs a reservation, and one is possible."""
        return self.reserved == 0 and self.unreserved != 0


async def reserve_requests(pool: Pool, caller: Caller, wanted: int, limit: int) -> Reservation:
    """Reserve requests in the database, in the current minute of the key."""
    async with pooled_connection(pool, caller.account_id) as connection:
        row = await connection.fetchrow(RESERVE, caller.key_id, wanted, limit, WINDOW_S)
    return Reservation(row["granted"], row["unreserved"], row["ends_in_s"])


class RateLimiter:
    """Counts the requests of each key. A limit of 0 means no limit."""

    def __init__(self, limit: int, reserve: Reserve = reserve_requests) -> None:
        self.limit = limit
        self._reserve = reserve
        self._windows: dict[int, RateWindow] = {}

    async def count(self, pool: Pool, caller: Caller) -> dict[str, str]:
        """Count a request and return the rate limit headers. Raises TooManyRequests above the limit."""
        if self.limit == 0 or caller.key_id is None:
            return {}
        window = self._current_window(caller.key_id)
        while window.needs_reservation:
            async with window.lock:
                if window.needs_reservation:
                    await self._extend(window, pool, caller)
        is_allowed = window.reserved > 0
        if is_allowed:
            window.reserved -= 1
            window.used += 1
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(window.reserved + (window.unreserved or 0)),
            "X-RateLimit-Reset": str(int(window.ends_at) + 1),
        }
        if not is_allowed:
            wait_s = max(0, int(window.ends_at - time.time())) + 1
            raise TooManyRequests(
                f"This API key is limited to {self.limit} requests per minute; try again in {wait_s} s",
                headers={**headers, "Retry-After": str(wait_s)},
            )
        return headers

    def _current_window(self, key_id: int) -> RateWindow:
        now = time.time()
        window = self._windows.get(key_id)
        if window is None or window.ends_at <= now:
            self._remove_expired(now)
            window = self._windows[key_id] = RateWindow(ends_at=now + WINDOW_S)
        return window

    async def _extend(self, window: RateWindow, pool: Pool, caller: Caller) -> None:
        """Reserve more requests. If the database accepts no changes, this process counts alone until the minute ends.

        It does not ask again in this minute, because each failure in a read-only database discards all connections.
        """
        wanted = max(1, window.used)
        try:
            reservation = await self._reserve(pool, caller, wanted, self.limit)
        except CANNOT_CHANGE:
            window.reserved, window.unreserved = max(0, self.limit - window.used), 0
        else:
            window.reserved, window.unreserved = reservation.granted, reservation.unreserved
            ends_at = time.time() + reservation.ends_in_s
            if ends_at - window.ends_at > WINDOW_S / 2:
                window.used = 0  # the next minute of the key has begun
            window.ends_at = ends_at

    def _remove_expired(self, now: float) -> None:
        if len(self._windows) > MAX_WINDOWS:
            self._windows = {key_id: window for key_id, window in self._windows.items() if window.ends_at > now}
