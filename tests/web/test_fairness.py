"""One account with many connections hardly delays another one, also without a rate limit."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median

from tests.support.company import Company
from tests.support.running import Member
from torture.read_probe import ProbeTarget, run_probe

CONNECTIONS = 200
WARM_UP_S = 2.0
QUIET_S = 1.0
MEASURED_S = 4.0
MAX_SHARE = 0.25
"""Of the time that the requests of the busy account take. Without turns, all requests take about the same time."""


class BusyAccount:
    """Connections that each read one record over and over."""

    def __init__(self, member: Member, path: str) -> None:
        self.port = int(member.service.url.rpartition(":")[2])
        self._request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {member.key}\r\n\r\n".encode()
        self._stopping = threading.Event()
        self.latencies_ms: list[float] = []

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read during the block."""
        with ThreadPoolExecutor(1) as threads:
            requests = threads.submit(lambda: asyncio.run(self._read_on_all()))
            try:
                time.sleep(WARM_UP_S)
                self.latencies_ms.clear()
                yield
            finally:
                self._stopping.set()
                requests.result()  # raises what went wrong in it

    async def _read_on_all(self) -> None:
        await asyncio.gather(*(self._read_on_one() for _ in range(CONNECTIONS)))

    async def _read_on_one(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while not self._stopping.is_set():
            started = time.perf_counter()
            writer.write(self._request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            self.latencies_ms.append((time.perf_counter() - started) * 1000)
        writer.close()


def test_many_connections_of_an_account_hardly_delay_another_account(account: Member) -> None:
    assert account.service.settings.rate_limit == 0
    busy = BusyAccount(account, f"/v1/employees/{Company.of(account).hire()}")
    other = account.service.new_account()
    path = f"/v1/employees/{Company.of(other).hire()}"
    target = ProbeTarget(busy.port, path, other.key, MEASURED_S)
    quiet_ms = median(run_probe(ProbeTarget(busy.port, path, other.key, QUIET_S)))
    with busy.reading():
        delayed_ms = median(run_probe(target))
        busy_ms = median(busy.latencies_ms)
    assert delayed_ms < MAX_SHARE * busy_ms, f"{quiet_ms=:.1f} {delayed_ms=:.1f} {busy_ms=:.1f}"
