"""Rate limit: a number of requests per minute for each API key, counted in this process."""

import time
from dataclasses import dataclass

from gaji.core.errors import TooManyRequests

WINDOW_S = 60
MAX_WINDOWS = 1000
"""Above this number, expired windows are removed."""


@dataclass(slots=True)
class RateWindow:
    """The current minute of one key."""

    ends_at: float
    used: int = 0


class RateLimiter:
    """Counts the requests of each key. A limit of 0 means no limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._windows: dict[int, RateWindow] = {}

    def count(self, key_id: int) -> dict[str, str]:
        """Count a request and return the rate limit headers. Raises TooManyRequests above the limit."""
        if self.limit == 0:
            return {}
        now = time.time()
        window = self._windows.get(key_id)
        if window is None or window.ends_at <= now:
            self._remove_expired(now)
            window = self._windows[key_id] = RateWindow(ends_at=now + WINDOW_S)
        window.used += 1
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, self.limit - window.used)),
            "X-RateLimit-Reset": str(int(window.ends_at) + 1),
        }
        if window.used > self.limit:
            wait_s = int(window.ends_at - now) + 1
            raise TooManyRequests(
                f"This API key is limited to {self.limit} requests per minute; try again in {wait_s} s",
                headers={**headers, "Retry-After": str(wait_s)},
            )
        return headers

    def _remove_expired(self, now: float) -> None:
        if len(self._windows) > MAX_WINDOWS:
            self._windows = {key_id: window for key_id, window in self._windows.items() if window.ends_at > now}
