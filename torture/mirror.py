"""Copies of a client's lists follow 20,000 random changes, while server, workers and database are killed.

Several writers change the same client. One reader follows `updated_since` and the event feed. Requests that are cut off
are repeated, writes with their Idempotency-Key. Afterwards each copy is equal to its source, row for row.
"""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any
from uuid import UUID

import httpx

from gaji.tabular import XLSX
from tests.support.mirrors import ClientMirror, listed_records
from tests.support.random_changes import RandomChanges
from tests.support.running import http_client
from torture.installation import ServedInstallation, served_installation, wait_for
from torture.kills import create_key, kill_database, kill_server, kill_workers

Kill = Callable[[ServedInstallation, Random], str]

CHANGES = 20_000
WRITERS = 3
BULK_SIZE = 10
ROUNDS = 12
"""Something is killed in each round."""
KILLS = (kill_server, kill_database, kill_workers)
"""Each is used in the same number of rounds."""
RETRY_TIMEOUT_S = 180
SETTLE_TIMEOUT_S = 300
PAUSE_S = 0.2
MONTHLY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}


class Requests:
    """Requests of one thread that are repeated until there is an answer."""

    def __init__(self, served: ServedInstallation, key: str, random: Random) -> None:
        self.url, self.random = f"{served.url}/v1", random
        self.http = http_client(headers={"Authorization": key}, trust_env=False)
        self.repeated = 0

    def get(self, path: str) -> httpx.Response:
        """Read."""
        return self.call("GET", path, None)

    def call(self, method: str, path: str, body: Any) -> httpx.Response:
        """Send a request, with bytes as a workbook, until it is answered. A write takes effect once."""
        headers = {} if method == "GET" else {"Idempotency-Key": str(UUID(int=self.random.getrandbits(128)))}
        deadline = time.monotonic() + RETRY_TIMEOUT_S
        while (response := self._attempt(method, path, body, headers)) is None:
            assert time.monotonic() < deadline, f"{method} {path}: no answer within {RETRY_TIMEOUT_S} s"
            self.repeated += 1
            time.sleep(PAUSE_S)
        return response

    def _attempt(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response | None:
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        headers = headers | ({"Content-Type": XLSX} if isinstance(body, bytes) else {})
        try:
            response = self.http.request(method, self.url + path, headers=headers, **content)
        except httpx.TransportError:
            return None
        is_in_progress = response.status_code == 409 and response.json()["type"].endswith("in-progress")
        return None if response.status_code == 503 or is_in_progress else response


def run(random: Random, changes: int = CHANGES) -> None:
    """Run the scenario on a new installation. Raises AssertionError if a copy differs from its source."""
    with served_installation() as served:
        served.start()
        key = create_key(served)
        requests = [Requests(served, key, Random(random.random())) for _ in range(WRITERS + 1)]
        reader = requests.pop()
        client_id = reader.call("POST", "/clients", {"name": "Mirrored"}).json()["id"]
        wave_id = reader.call("POST", f"/clients/{client_id}/waves", MONTHLY).json()["id"]
        writers = [
            RandomChanges(request.call, client_id, wave_id, Random(random.random()), BULK_SIZE) for request in requests
        ]
        mirror = ClientMirror(reader.get, client_id)
        kills = random.sample(KILLS * (ROUNDS // len(KILLS)), ROUNDS)
        number_each = math.ceil(changes / ROUNDS / WRITERS)
        with ThreadPoolExecutor(WRITERS + 1) as pool:
            for number, kill in enumerate(kills, start=1):
                _change_and_kill(served, pool, writers, mirror, number_each, kill, random)
                made = sum(writer.made for writer in writers)
                print(f"  round {number} of {ROUNDS}: {made:,} changes, {len(mirror.employees.records)} employees")
        repeated = sum(request.repeated for request in (*requests, reader))
        wait_for("all drafts are calculated", lambda: _is_settled(mirror), SETTLE_TIMEOUT_S)
        print(f"  {made:,} changes, {mirror.check():,} records compared, {repeated} requests repeated", flush=True)


def _change_and_kill(
    served: ServedInstallation,
    pool: ThreadPoolExecutor,
    writers: list[RandomChanges],
    mirror: ClientMirror,
    changes: int,
    kill: Kill,
    random: Random,
) -> None:
    """Make changes with each writer, follow them, and kill something meanwhile."""
    ended = threading.Event()
    following = pool.submit(_follow, mirror, ended.is_set)
    try:
        writing = [pool.submit(writer.make, changes) for writer in writers]
        time.sleep(random.uniform(0, 2))
        print(f"  {kill.__name__}: {kill(served, random)}", flush=True)
        _await(writing)
    finally:
        ended.set()
    _await([following])


def _follow(mirror: ClientMirror, is_ended: Callable[[], bool]) -> None:
    while not is_ended():
        mirror.follow()
        time.sleep(PAUSE_S)


def _await(futures: list[Future[None]]) -> None:
    for future in futures:
        future.result()


def _is_settled(mirror: ClientMirror) -> bool:
    """Return whether no payslip is being calculated."""
    mirror.employees.follow()
    paths = [f"/employees/{employee_id}/payslips" for employee_id in mirror.employees.records]
    return not any(payslip["dirty"] for path in paths for payslip in listed_records(mirror.get(path)))
