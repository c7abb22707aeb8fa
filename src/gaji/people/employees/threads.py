"""Move work on many employees off the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

THREAD_THRESHOLD = 200
"""Up to this number of employees, a thread costs more than it saves."""


async def run_in_thread_if_many(count: int, work: Callable[[], T]) -> T:
    """Run validation, encryption or decryption of many employees in a thread, so that other requests are served."""
    return await asyncio.to_thread(work) if count > THREAD_THRESHOLD else work()
