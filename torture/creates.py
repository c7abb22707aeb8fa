"""Concurrent creates that are retried: each request is repeated with its Idempotency-Key until it is acknowledged.

The HTTP is written by hand. A real client library takes longer for a response than the server, which would have handled
all requests before the first response is processed, so that nothing could be killed in between.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

import msgspec

RESPONSE_TIMEOUT_S = 25.0
RETRY_TIMEOUT_S = 150.0
PAUSE_S = 1.0
"""Between attempts. If 300 requests were repeated more often, they would slow down the server that is starting."""
ACCEPTABLE = (200, 409, 503)
"""Created; the first request with this key is still running; the database is unavailable."""


@dataclass(frozen=True)
class RawResponse:
    """A response of the server."""

    status: int
    head: str
    body: bytes


@dataclass
class Creates:
    """Creates of clients, and their outcome."""

    port: int
    key: str
    prefix: str
    number: int = 300
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The acknowledged ID for each name."""
    statuses: Counter[int] = field(default_factory=Counter)
    cut_off: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)
    longest_s: float = 0.0
    _progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __str__(self) -> str:
        responses = ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items()))
        connections = f"{self.cut_off} cut off, {self.refused} not connected"
        return f"statuses {responses}, {connections}, longest {self.longest_s:.1f} s"

    async def run(self) -> None:
        """Send all requests at once. Return when all are acknowledged or have timed out."""
        await asyncio.gather(*(self._create(f"{self.prefix} {number}") for number in range(self.number)))

    async def until(self, number: int) -> None:
        """Wait until this many are acknowledged."""
        async with self._progress:
            await self._progress.wait_for(lambda: len(self.acknowledged) >= number)

    async def _create(self, name: str) -> None:
        deadline = time.monotonic() + RETRY_TIMEOUT_S
        while time.monotonic() < deadline:
            started = time.monotonic()
            try:
                self._record(name, await asyncio.wait_for(self._post(name), RESPONSE_TIMEOUT_S))
            except TimeoutError:
                self.problems.append(f"{name}: no response within {RESPONSE_TIMEOUT_S} s")
            except ConnectionRefusedError:
                self.refused += 1
            except (OSError, asyncio.IncompleteReadError):
                self.cut_off += 1
            self.longest_s = max(self.longest_s, time.monotonic() - started)
            if name in self.acknowledged:
                async with self._progress:
                    self._progress.notify_all()
                return
            await asyncio.sleep(PAUSE_S)
        self.problems.append(f"{name}: not created within {RETRY_TIMEOUT_S} s")

    def _record(self, name: str, response: RawResponse) -> None:
        self.statuses[response.status] += 1
        if response.status == 200:
            self.acknowledged[name] = msgspec.json.decode(response.body)["id"]
        elif response.status not in ACCEPTABLE:
            self.problems.append(f"{name}: response {response.status} {response.body[:300]!r}")
        elif "retry-after:" not in response.head:
            self.problems.append(f"{name}: a {response.status} without Retry-After")

    async def _post(self, name: str) -> RawResponse:
        body = msgspec.json.encode({"name": name})
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(
                f"POST /v1/clients HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: {self.key}\r\n"
                f"Idempotency-Key: {name}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                "\r\n".encode()
                + body
            )
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].partition("\r\n")[0])
            return RawResponse(int(head.split(" ", 2)[1]), head, await reader.readexactly(length))
        finally:
            writer.close()
