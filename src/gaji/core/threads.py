"""Run long computations in a thread, so that the event loop serves other requests meanwhile.

No request may occupy the event loop for more than 50 ms. A thread costs about 0.1 ms. Kinds of work that callers can
cause in any amount have threads of their own, so that a flood of one kind does not delay the others.
"""

import asyncio
import contextvars
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from gaji.core.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")

THREAD_THRESHOLD = 200
"""Up to this number of records, a thread costs more than it saves."""


class ThreadPool:
    """The threads of one kind of work, and a limit on the work that waits for them."""

    def __init__(self, name: str, threads: int, max_waiting: int, niceness: int = 0) -> None:
        self._name = name
        self._niceness = niceness
        self._threads = threads
        self._capacity = threads + max_waiting
        self._start()
        # Threads do not exist in a forked process, but an executor that was used before the fork would wait for them.
        os.register_at_fork(after_in_child=self._start)

    def _start(self) -> None:
        self._executor = ThreadPoolExecutor(self._threads, self._name, partial(_lower_priority, self._niceness))
        self._unfinished = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of work that runs in a thread. Raises Unavailable if too much work is waiting."""
        with self._lock:
            self.require_room()
            self._unfinished += 1
        call = partial(contextvars.copy_context().run, work, *args, **kwargs)
        future = self._executor.submit(call)
        future.add_done_callback(self._finish)
        return await asyncio.wrap_future(future)

    def require_room(self) -> None:
        """Raise Unavailable if too much work is waiting."""
        if self._unfinished >= self._capacity:
            raise Unavailable("The server is busy; try again", retry_after_s=1)

    def _finish(self, _: Future[Any]) -> None:
        with self._lock:
            self._unfinished -= 1


def _lower_priority(niceness: int) -> None:
    """Let the event loop and the database run before this thread. Only Linux has priorities for threads."""
    if niceness and sys.platform == "linux":
        thread_id = threading.get_native_id()
        with suppress(OSError):  # a sandbox may forbid it
            os.setpriority(os.PRIO_PROCESS, thread_id, os.getpriority(os.PRIO_PROCESS, thread_id) + niceness)


PASSWORD_THREADS = 2 if (os.cpu_count() or 1) >= 8 else 1
PASSWORDS = ThreadPool("passwords", PASSWORD_THREADS, max_waiting=40, niceness=10)
"""Each check takes a CPU core and 64 MiB for about 0.2 s. Python's lock is free meanwhile."""
PAGES = ThreadPool("pages", threads=4, max_waiting=200)
"""Rendering of console pages."""
COMPRESSION = ThreadPool("compression", threads=2, max_waiting=50)
"""Compression of large responses."""
REPORTS = ThreadPool("reports", threads=4, max_waiting=200)
"""Rows and files of reports."""


async def run_in_thread_if_many(count: int, work: Callable[[], T]) -> T:
    """Return the result of work on many records, which runs in a thread, or on few."""
    return await asyncio.to_thread(work) if count > THREAD_THRESHOLD else work()
