"""Run long computations in a thread, so that the event loop serves other requests meanwhile.

No request may occupy the event loop for more than 50 ms. A thread costs about 0.1 ms.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

THREAD_THRESHOLD = 200
"""Up to this number of records, a thread costs more than it saves."""


async def run_in_thread_if_many(count: int, work: Callable[[], T]) -> T:
    """Return the result of work on many records, which runs in a thread, or on few."""
    return await asyncio.to_thread(work) if count > THREAD_THRESHOLD else work()
