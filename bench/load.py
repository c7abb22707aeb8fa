"""Load on one address: `python -m bench.load`, a process of its own, so that it takes no time from whom it measures.

It does as little as it can: the same request over and over on connections that stay open, and of each answer it only
looks at the status line and at whether it ends with the bytes that it must end with.
"""

import asyncio
import subprocess
import sys
import time
from typing import cast

import msgspec
import uvloop

from bench.bars import Sample

CONNECTIONS = 16
WARM_UP_S = 0.2
MEASURED_S = 0.4
LEAST_ANSWERS = 3 * CONNECTIONS
"""Fewer say little: slow answers are measured for longer."""
ANSWER_WITHIN_S = 10.0


class Job(msgspec.Struct):
    """What to ask for."""

    port: int
    path: str
    headers: dict[str, str]


class Load(msgspec.Struct):
    """What came of it."""

    requests_per_s: float
    p50_ms: float
    p99_ms: float
    media_type: str
    body: bytes

    @property
    def sample(self) -> Sample:
        """The throughput as a bar takes it."""
        return Sample(self.requests_per_s, {"p50_ms": self.p50_ms, "p99_ms": self.p99_ms})


def put_on(job: Job) -> Load:
    """Run the load in its own process and wait for the result."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=msgspec.json.encode(job), stdout=subprocess.PIPE, check=True
    )
    return msgspec.json.decode(done.stdout, type=Load)


class Caller(asyncio.Protocol):
    """One connection that always has one request on its way."""

    def __init__(self, request: bytes, body: bytes, latencies: list[float], broken: "asyncio.Future[None]") -> None:
        self._request = request
        self._body = body
        self._latencies = latencies
        self._broken = broken
        self._received = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start."""
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        """Note the time of a whole answer and ask again."""
        received = self._received + data if self._received else data
        if not received.startswith(b"HTTP/1.1 200 "):
            self._break(received[:200])
        elif received.endswith(self._body):
            self._received = b""
            self._latencies.append(time.perf_counter() - self._sent_at)
            self._send()
        else:
            self._received = received

    def connection_lost(self, error: Exception | None) -> None:
        """A server that hangs up has failed."""
        self._break(b"the connection was closed")

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        self._transport.write(self._request)

    def _break(self, what: bytes) -> None:
        if not self._broken.done():
            self._broken.set_exception(RuntimeError(what.decode("latin-1")))


async def measure(job: Job) -> Load:
    """Ask once for what the answer is, then as often as the server can answer."""
    request = _request(job)
    media_type, body = await asyncio.wait_for(_ask_once(job.port, request), ANSWER_WITHIN_S)
    loop = asyncio.get_running_loop()
    broken: asyncio.Future[None] = loop.create_future()
    latencies: list[float] = []
    transports = [
        (await loop.create_connection(lambda: Caller(request, body, latencies, broken), "127.0.0.1", job.port))[0]
        for _ in range(CONNECTIONS)
    ]
    await _unless(broken, WARM_UP_S)
    latencies.clear()
    started = time.perf_counter()
    while (elapsed_s := time.perf_counter() - started) < MEASURED_S or len(latencies) < LEAST_ANSWERS:
        await _unless(broken, max(MEASURED_S - elapsed_s, 0.05))
    counted = sorted(latencies)
    broken.cancel()
    for transport in transports:
        transport.abort()
    return Load(
        requests_per_s=len(counted) / elapsed_s,
        p50_ms=counted[len(counted) // 2] * 1000,
        p99_ms=counted[len(counted) * 99 // 100] * 1000,
        media_type=media_type,
        body=body,
    )


async def _unless(broken: "asyncio.Future[None]", wait_s: float) -> None:
    await asyncio.wait([broken], timeout=wait_s)
    if broken.done():
        broken.result()


def _request(job: Job) -> bytes:
    lines = [f"GET {job.path} HTTP/1.1", f"host: 127.0.0.1:{job.port}"]
    lines += [f"{name}: {value}" for name, value in job.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


async def _ask_once(port: int, request: bytes) -> tuple[str, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *fields = head.rstrip().split("\r\n")
        if " 200 " not in status:
            raise RuntimeError(f"the server answered {status}")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        return headers["content-type"], await reader.readexactly(int(headers["content-length"]))
    finally:
        writer.close()


if __name__ == "__main__":
    result = uvloop.run(measure(msgspec.json.decode(sys.stdin.buffer.read(), type=Job)))
    # Not sys.stdout.buffer, which with PYTHONUNBUFFERED writes as much as the pipe takes at once and no more.
    with open(sys.stdout.fileno(), "wb", closefd=False) as output:
        output.write(msgspec.json.encode(result))
