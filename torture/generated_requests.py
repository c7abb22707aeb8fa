"""Generated requests with three seeds: no 5xx, nothing undocumented, and no slow response."""

import asyncio
from collections.abc import Callable
from random import Random

from gaji.core.settings import Settings
from tests.support.generated_requests import EXPECTED_STATUSES, MAX_RESPONSE_S, RequestLog, send_generated_requests
from tests.support.running import Service, http_client
from torture.installation import ServedInstallation, served_installation

SEEDS = (1, 2, 3)
MIN_REQUESTS = 10_000
"""With all seeds together."""

Report = Callable[[str], None]


def run(_random: Random, report: Report = print) -> None:
    """Send the requests to a new installation. Raises AssertionError if an expectation fails."""
    with served_installation() as served:
        served.start()
        log = _send_requests(served, report)
        check(log)
        assert not served.failures(), served.failures()[:5]
        assert served.interrupt() == 0


def check(log: RequestLog) -> None:
    """Raise AssertionError unless enough requests were sent, and all responses were as documented and fast."""
    assert not log.failures, "\n".join(log.failures)
    assert log.statuses.total() >= MIN_REQUESTS, f"only {log.statuses.total()} requests were sent"
    assert set(log.statuses) <= EXPECTED_STATUSES, log.statuses
    assert log.slowest_s <= MAX_RESPONSE_S, f"{log.slowest} took {log.slowest_s:.1f} s"


def _send_requests(served: ServedInstallation, report: Report) -> RequestLog:
    log = RequestLog()
    with http_client() as http, asyncio.Runner() as runner:
        service = Service(served.url, Settings(data=served.data), served.server, served.log, http, runner)
        for seed in SEEDS:
            send_generated_requests(service.new_account(), MIN_REQUESTS // len(SEEDS) + 1, seed, log)
            report(f"  after seed {seed}: {log}")
    return log
