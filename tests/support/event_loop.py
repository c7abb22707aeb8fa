"""Run the application on an event loop of the test, and measure how long its callbacks run.

The time is the CPU time of the loop's thread, so a busy machine and waiting for the database do not count.
"""

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from gaji.app import application
from tests.support.running import Member

SAMPLE_INTERVAL_S = 0.005


@dataclass
class LoopMonitor:
    """The longest callback of a loop, and where it was while it ran longer than `sampled_after_s`."""

    sampled_after_s: float = 0.03
    longest_s: float = 0
    stack: str = ""
    _thread_id: int = 0
    _started_s: float | None = None
    _samples: list[str] = field(default_factory=list)

    def reset(self) -> None:
        """Forget what was measured so far."""
        self.longest_s, self.stack = 0, ""

    def record(self, duration_s: float) -> None:
        """Record the duration of a callback."""
        if duration_s > self.longest_s:
            self.longest_s, self.stack = duration_s, "\n".join(dict.fromkeys(self._samples))
        self._samples.clear()

    def sample(self) -> None:
        """Record the current stack of a callback that has run for long."""
        started_s = self._started_s
        if started_s is not None and time.monotonic() - started_s > self.sampled_after_s:
            frame = sys._current_frames().get(self._thread_id)
            if frame is not None and len(self._samples) < 50:
                frames = traceback.extract_stack(frame)[-12:]
                self._samples.append(" > ".join(f"{entry.filename[-40:]}:{entry.lineno}" for entry in frames))


@contextmanager
def monitor_loop() -> Iterator[LoopMonitor]:
    """Measure the callbacks of all loops that run in this thread."""
    monitor, stopping = LoopMonitor(_thread_id=threading.get_ident()), threading.Event()
    run_callback = asyncio.Handle._run

    def run_measured(handle: asyncio.Handle) -> None:
        if threading.get_ident() != monitor._thread_id:
            run_callback(handle)
            return
        started_s = time.thread_time()
        monitor._started_s = time.monotonic()
        try:
            run_callback(handle)
        finally:
            monitor._started_s = None
            monitor.record(time.thread_time() - started_s)

    def sample() -> None:
        while not stopping.wait(SAMPLE_INTERVAL_S):
            monitor.sample()

    sampler = threading.Thread(target=sample, daemon=True)
    asyncio.Handle._run = run_measured  # type: ignore[method-assign, assignment]
    sampler.start()
    try:
        yield monitor
    finally:
        asyncio.Handle._run = run_callback  # type: ignore[method-assign]
        stopping.set()
        sampler.join()


@dataclass(frozen=True)
class InProcessServer:
    """The application on an event loop of this thread, so that a test can observe it."""

    http: httpx.AsyncClient

    async def call(self, method: str, path: str, **details: Any) -> httpx.Response:
        """Send a request under /v1."""
        response = await self.http.request(method, path, **details)
        await asyncio.sleep(0)  # ends the callback that received the response
        return response


@asynccontextmanager
async def in_process_server(member: Member) -> AsyncIterator[InProcessServer]:
    """Serve the database of a member's server in this process. Requests have the member's key."""
    app = application(member.service.settings, log=False)
    received, sent = asyncio.Queue[Any](), asyncio.Queue[Any]()
    lifespan = asyncio.create_task(app({"type": "lifespan"}, received.get, sent.put))
    await received.put({"type": "lifespan.startup"})
    assert (await sent.get())["type"] == "lifespan.startup.complete"
    transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]
    headers = {"Authorization": member.key}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost/v1", headers=headers, timeout=600
    ) as http:
        yield InProcessServer(http)
    await received.put({"type": "lifespan.shutdown"})
    await lifespan
