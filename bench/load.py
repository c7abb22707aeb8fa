"""HTTP load on one URL: `python -m bench.load`, a separate process, so that it does not slow the server it measures.

It does as little as possible: the same request over and over on persistent connections. Of each response it only checks
the status line and the last bytes.
"""

import asyncio
import subprocess
import sys
import time
from functools import partial
from typing import cast

import msgspec
import uvloop

from bench.bars import Sample

CONNECTIONS = 16
WARM_UP_S = 0.2
MEASURED_S = 0.4
MIN_RESPONSES = 3 * CONNECTIONS
"""Slow responses are measured for longer, until there are this many."""
TIMEOUT_S = 10.0
NOT_MODIFIED = 304


class LoadTarget(msgspec.Struct):
    """The request to repeat."""

    port: int
    path: str
    headers: dict[str, str]
    status: int = 200
    """The status of the response. A 304 has no body."""

    @property
    def status_line(self) -> bytes:
        """How the response starts."""
        return f"HTTP/1.1 {self.status} ".encode()


class Load(msgspec.Struct):
    """The measured throughput and latency, and the response."""

    responses: int
    """All responses, with those of the warm-up."""
    requests_per_s: float
    p50_ms: float
    p99_ms: float
    media_type: str
    body: bytes

    @property
    def sample(self) -> Sample:
        """The throughput as a sample of a bar."""
        return Sample(self.requests_per_s, {"p50_ms": self.p50_ms, "p99_ms": self.p99_ms})


def run_load(target: LoadTarget) -> Load:
    """Run the load in a separate process and return the result."""
    process = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=msgspec.json.encode(target), stdout=subprocess.PIPE, check=True
    )
    return msgspec.json.decode(process.stdout, type=Load)


class LoadConnection(asyncio.Protocol):
    """A connection that always has one request in flight."""

    def __init__(
        self, target: LoadTarget, body: bytes, latencies: list[float], failure: "asyncio.Future[None]"
    ) -> None:
        self._request = _encode_request(target)
        self._status_line = target.status_line
        self._end = body or b"\r\n\r\n"
        self._latencies = latencies
        self._failure = failure
        self._received = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        """Record the latency of a complete response and send the next request."""
        received = self._received + data if self._received else data
        if not received.startswith(self._status_line):
            self._fail(received[:200])
        elif received.endswith(self._end):
            self._received = b""
            self._latencies.append(time.perf_counter() - self._sent_at)
            self._send()
        else:
            self._received = received

    def connection_lost(self, error: Exception | None) -> None:
        """Report a failure, because the server must not close the connection."""
        self._fail(b"the connection was closed")

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        self._transport.write(self._request)

    def _fail(self, message: bytes) -> None:
        if not self._failure.done():
            self._failure.set_exception(RuntimeError(message.decode("latin-1")))


async def measure(target: LoadTarget) -> Load:
    """Fetch the response once, then send requests as fast as the server responds."""
    media_type, body = await asyncio.wait_for(_fetch(target), TIMEOUT_S)
    loop = asyncio.get_running_loop()
    failure: asyncio.Future[None] = loop.create_future()
    latencies: list[float] = []
    connect = partial(LoadConnection, target, body, latencies, failure)
    transports = [(await loop.create_connection(connect, "127.0.0.1", target.port))[0] for _ in range(CONNECTIONS)]
    await _sleep_unless_failed(failure, WARM_UP_S)
    warm_up_responses = len(latencies)
    latencies.clear()
    started = time.perf_counter()
    while (elapsed_s := time.perf_counter() - started) < MEASURED_S or len(latencies) < MIN_RESPONSES:
        await _sleep_unless_failed(failure, max(MEASURED_S - elapsed_s, 0.05))
    measured = sorted(latencies)
    failure.cancel()
    for transport in transports:
        transport.abort()
    return Load(
        responses=warm_up_responses + len(measured),
        requests_per_s=len(measured) / elapsed_s,
        p50_ms=measured[len(measured) // 2] * 1000,
        p99_ms=measured[len(measured) * 99 // 100] * 1000,
        media_type=media_type,
        body=body,
    )


async def _sleep_unless_failed(failure: "asyncio.Future[None]", sleep_s: float) -> None:
    await asyncio.wait([failure], timeout=sleep_s)
    if failure.done():
        failure.result()


def _encode_request(target: LoadTarget) -> bytes:
    lines = [f"GET {target.path} HTTP/1.1", f"host: 127.0.0.1:{target.port}"]
    lines += [f"{name}: {value}" for name, value in target.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


async def _fetch(target: LoadTarget) -> tuple[str, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    try:
        writer.write(_encode_request(target))
        head = await reader.readuntil(b"\r\n\r\n")
        status, *fields = head.decode("latin-1").rstrip().split("\r\n")
        if not head.startswith(target.status_line):
            raise RuntimeError(f"the server responded with {status}")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        length = 0 if target.status == NOT_MODIFIED else int(headers["content-length"])
        return headers.get("content-type", ""), await reader.readexactly(length)
    finally:
        writer.close()


if __name__ == "__main__":
    result = uvloop.run(measure(msgspec.json.decode(sys.stdin.buffer.read(), type=LoadTarget)))
    # With PYTHONUNBUFFERED, sys.stdout.buffer writes only as much as the pipe accepts at once.
    with open(sys.stdout.fileno(), "wb", closefd=False) as output:
        output.write(msgspec.json.encode(result))
