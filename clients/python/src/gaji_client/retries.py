"""When a request is sent again, and after what time.

Writes have an idempotency key, so that sending them again never does them twice.
"""

import random
from collections.abc import Iterator

import httpx

from gaji_client.errors import problem_of

IN_PROGRESS = "in-progress"
CONFLICT, RETRIED_STATUSES = 409, (429, 502, 503, 504)
FIRST_DELAY_S, MAX_DELAY_S = 0.5, 30.0


def should_retry(response: httpx.Response) -> bool:
    """Return whether the same request may succeed later."""
    if response.status_code == CONFLICT:
        return str(problem_of(response).get("type", "")).endswith(f"/{IN_PROGRESS}")
    return response.status_code in RETRIED_STATUSES


def delays(count: int) -> Iterator[float]:
    """Yield the seconds to wait before each retry: twice as long each time, with jitter."""
    for attempt in range(count):
        delay = min(MAX_DELAY_S, FIRST_DELAY_S * 2**attempt)
        yield delay * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret


def requested_delay(response: httpx.Response) -> float:
    """Return the seconds that the server asks to wait."""
    text = response.headers.get("Retry-After", "")
    return min(MAX_DELAY_S, float(text)) if text.isdigit() else 0.0
