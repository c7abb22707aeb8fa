"""100,000 generated requests: no 5xx, nothing undocumented, and no slow response.

TORTURE_REQUESTS sets another number.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from random import Random

from gaji.core.settings import Settings
from tests.support.generated_requests import EXPECTED_STATUSES, MAX_RESPONSE_S, RequestLog, send_generated_requests
from tests.support.running import Service, http_client
from torture.installation import ServedInstallation, served_installation

REQUESTS = 100_000
REQUESTS_PER_ACCOUNT = 5_000
"""Each account has its own seed and its own records."""
MAX_SEED = 10**6

Report = Callable[[str], None]


def run(random: Random, report: Report = print) -> None:
    """Send the requests to a new installation. Raises AssertionError if an expectation fails."""
    requests = int(os.environ.get("TORTURE_REQUESTS") or REQUESTS)
    with served_installation() as served:
        served.start()
        log = _send_requests(served, requests, random, report)
        for line in table(log):
            report(f"  {line}")
        check(log, requests)
        assert not served.failures(), served.failures()[:5]
        assert served.interrupt() == 0


def check(log: RequestLog, requests: int) -> None:
    """Raise AssertionError unless so many requests were sent, and all responses were as documented and fast."""
    assert not log.failures, f"{len(log.failures)} responses were not as documented"
    assert log.statuses.total() == requests, f"{log.statuses.total()} requests were sent"
    assert set(log.statuses) <= EXPECTED_STATUSES, log.statuses
    assert log.slowest_s <= MAX_RESPONSE_S, f"{log.slowest} took {log.slowest_s:.1f} s"


def table(log: RequestLog) -> list[str]:
    """Return the lines of a table: how many responses had each status, for each method."""
    methods = sorted({label.split()[0] for label, _ in log.responses})
    counts = {status: [log.count(method, status) for method in methods] for status in sorted(log.statuses)}
    totals = [log.count(method, *counts) for method in methods]
    return [
        _row("status", methods, "all"),
        *(_number_row(str(status), row) for status, row in counts.items()),
        _number_row("all", totals),
    ]


def _number_row(title: str, numbers: Iterable[int]) -> str:
    cells = list(numbers)
    return _row(title, [f"{number:,}" for number in cells], f"{sum(cells):,}")


def _row(title: str, cells: Iterable[str], total: str) -> str:
    return f"{title:<8}" + "".join(f"{cell:>10}" for cell in (*cells, total))


def _send_requests(served: ServedInstallation, requests: int, random: Random, report: Report) -> RequestLog:
    log = RequestLog()
    with http_client() as http, asyncio.Runner() as runner:
        service = Service(served.url, Settings(data=served.data), served.server, served.log, http, runner)
        for number in _parts(requests):
            seed, known = random.randrange(MAX_SEED), len(log.failures)
            send_generated_requests(service.new_account(), number, seed, log)
            report(f"  seed {seed}: {log}")
            for failure in log.failures[known:]:
                report(f"    {failure}")
    return log


def _parts(requests: int) -> Iterator[int]:
    """Yield the number of requests of each account."""
    for first in range(0, requests, REQUESTS_PER_ACCOUNT):
        yield min(REQUESTS_PER_ACCOUNT, requests - first)
