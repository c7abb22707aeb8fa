"""Companies pay their employees while the primary PostgreSQL server fails 50 times. Patroni promotes another one.

Two servers, each with a worker, know the addresses of all members. Each failover is one of

- machine killed: PostgreSQL and Patroni of the primary are killed with SIGKILL,
- PostgreSQL killed: only PostgreSQL is killed,
- machine frozen: PostgreSQL and Patroni are stopped with SIGSTOP until after the promotion, and connections stay open;
  then both are killed and started again, as the watchdog does that deploy/patroni requires,
- switchover: `patronictl switchover`,
- Patroni restarted: Patroni is stopped, which stops PostgreSQL in order, and started again.

After each of them every acknowledged record is on the new primary, and no run was finalised twice. Both servers accept
changes and both workers are connected within 15 seconds of the promotion, and a queued task is done. Finally every
event has arrived at a receiver of webhooks.

TORTURE_FAILOVERS sets another number of failovers.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import Any

import asyncpg
import httpx

from tests.support.running import SECRET
from torture.installation import ServedInstallation, served_installation, wait_for
from torture.kills import create_key
from torture.mirror import Requests
from torture.paid_company import PaidCompany
from torture.patroni_cluster import Member, PatroniCluster, patroni_cluster
from torture.payroll_kills import check_results
from torture.receivers import WebhookReceiver, webhook_receiver

FAILOVERS = 50
SERVERS = 2
COUNTERS = 2
"""Threads of each server that only create small records, one after another."""
MAX_PAUSE_S = 3.0
COUNTER_PAUSE_S = 0.1
RECONNECTED_WITHIN_S = 15.0
MEASURED_WITHIN_S = 180
"""A failover that takes longer than it may is measured, and fails the scenario in the end."""
WORKERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gaji worker'"
MISSING = (
    "SELECT count(*) FROM unnest($1::bigint[]) AS acknowledged (id) LEFT JOIN gaji.{} USING (id) WHERE {}.id IS NULL"
)
FINALISED_TWICE = """SELECT count(*) FROM (SELECT FROM gaji.events WHERE type = 'payment_run.finalised'
    GROUP BY resource_id HAVING count(*) > 1) AS runs"""
REPORT = "transaction_history"
SPAN = {"start_date": "2023-01-01", "end_date": "2023-01-31"}


class TimedRequests(Requests):
    """Requests to one server that keep the times of acknowledged writes."""

    def __init__(self, served: ServedInstallation, key: str, random: Random) -> None:
        super().__init__(served, key, random)
        self.acknowledged_at: list[float] = []

    def call(self, method: str, path: str, body: Any) -> httpx.Response:
        """Send a request until it is answered. A write takes effect once."""
        response = super().call(method, path, body)
        if method != "GET" and response.status_code == 200:
            self.acknowledged_at.append(time.monotonic())
        return response


class RecordCounter:
    """Creates pay points of one company, one after another."""

    def __init__(self, requests: TimedRequests) -> None:
        self.requests = requests
        self.client_id = requests.call("POST", "/clients", {"name": "Counted"}).json()["id"]
        self.pay_point_ids: list[int] = []

    def create(self) -> None:
        """Create the next pay point."""
        body = {"name": f"Pay point {len(self.pay_point_ids)}"}
        response = self.requests.call("POST", f"/clients/{self.client_id}/pay_points", body)
        assert response.status_code == 200, response.text
        self.pay_point_ids.append(response.json()["id"])


@dataclass
class Load:
    """Threads that write to all servers, and what was acknowledged to them."""

    counters: list[list[RecordCounter]] = field(default_factory=list)
    """Those of each server."""
    payers: list[TimedRequests] = field(default_factory=list)
    companies: list[PaidCompany] = field(default_factory=list)
    threads: list[Future[None]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def acknowledged(self) -> int:
        """Return the number of acknowledged writes."""
        counting = [counter.requests for counters in self.counters for counter in counters]
        return sum(len(requests.acknowledged_at) for requests in (*counting, *self.payers))

    def seconds_without_writes(self, since: float) -> list[float | None]:
        """Return how long after a moment each server acknowledged its first write. None if it has not."""
        firsts = [
            [at for counter in counters for at in counter.requests.acknowledged_at[-200:] if at > since]
            for counters in self.counters
        ]
        return [min(times) - since if times else None for times in firsts]

    def acknowledged_ids(self) -> Mapping[str, list[int]]:
        """Return the IDs of acknowledged records, by table."""
        return {
            "pay_points": [
                pay_point_id
                for counters in self.counters
                for counter in counters
                for pay_point_id in counter.pay_point_ids
            ],
            "employees": [employee_id for company in list(self.companies) for employee_id in company.employee_ids],
            "payment_runs": [run_id for company in list(self.companies) for run_id in company.run_ids],
        }

    def count(self, counter: RecordCounter) -> None:
        """Create records until the load ends."""
        while not self.ended.is_set():
            counter.create()
            time.sleep(COUNTER_PAUSE_S)

    def pay(self, requests: TimedRequests) -> None:
        """Let one company after another pay its months until the load ends."""
        while not self.ended.is_set():
            company = PaidCompany(requests)
            self.companies.append(company)
            while not company.is_complete and not self.ended.is_set():
                company.pay_next_month()

    def raise_errors(self) -> None:
        """Raise the error of a thread that has ended early."""
        for thread in self.threads:
            if thread.done():
                thread.result()


@dataclass(frozen=True)
class Failover:
    """What was measured of one failover, in seconds after the promotion."""

    kind: str
    promoted_s: float
    """After the failure."""
    writes_s: float
    workers_s: float
    task_s: float
    acknowledged: int
    lost: int

    @property
    def reconnected_s(self) -> float:
        """When the last of the servers and workers was back."""
        return max(self.writes_s, self.workers_s)

    def __str__(self) -> str:
        return (
            f"{self.kind}, promoted after {self.promoted_s:.1f} s; then writes after {self.writes_s:.1f} s, "
            f"workers after {self.workers_s:.1f} s, a task took {self.task_s:.1f} s; "
            f"{self.acknowledged} writes, {self.lost} lost"
        )


def run(random: Random, failovers: int | None = None) -> None:
    """Run the scenario on a new cluster. Raises AssertionError if anything is lost, repeated or too slow."""
    failovers = failovers or int(os.environ.get("TORTURE_FAILOVERS") or FAILOVERS)
    with patroni_cluster() as cluster, webhook_receiver() as receiver, _servers(cluster) as servers:
        print("  the cluster runs", flush=True)
        key = create_key(servers[0])
        reader = Requests(servers[-1], key, Random(random.random()))
        response = reader.call("POST", "/webhook_endpoints", {"url": receiver.url})
        assert response.status_code == 200, response.text
        load, results = _write_and_fail_over(cluster, servers, key, reader, random, failovers)
        check_results(load.companies, reader, receiver)
        _print_table(results, load, receiver)
        slow = [str(result) for result in results if result.reconnected_s > RECONNECTED_WITHIN_S]
        assert not slow, f"reconnected later than {RECONNECTED_WITHIN_S:.0f} s after the promotion: {slow}"


@contextmanager
def _servers(cluster: PatroniCluster) -> Iterator[list[ServedInstallation]]:
    """Run servers, each with a worker, on the database of the cluster."""
    with ExitStack() as stack:
        servers = [stack.enter_context(served_installation()) for _ in range(SERVERS)]
        for served in servers:
            served.variables |= {
                "GAJI_DATABASE_URL": cluster.url,
                "GAJI_SECRET_KEY": SECRET,
                "GAJI_WEBHOOK_ALLOW": "127.0.0.0/8",
            }
            served.start()
        yield servers


def _write_and_fail_over(
    cluster: PatroniCluster,
    servers: list[ServedInstallation],
    key: str,
    reader: Requests,
    random: Random,
    failovers: int,
) -> tuple[Load, list[Failover]]:
    """Write with all threads, and let the primary fail meanwhile."""
    load = Load()
    for served in servers:
        load.counters.append([RecordCounter(_requests(served, key, random)) for _ in range(COUNTERS)])
        load.payers.append(_requests(served, key, random))
    kinds = _kinds(random, failovers)
    results: list[Failover] = []
    with ThreadPoolExecutor(SERVERS * (COUNTERS + 1)) as pool:
        counters = [counter for counters in load.counters for counter in counters]
        load.threads += [pool.submit(load.count, counter) for counter in counters]
        load.threads += [pool.submit(load.pay, payer) for payer in load.payers]
        try:
            for number, kind in enumerate(kinds, 1):
                time.sleep(random.uniform(0, MAX_PAUSE_S))
                results.append(_fail_over(cluster, load, reader, kind, random))
                print(f"  {number} of {failovers}: {results[-1]}", flush=True)
        finally:
            load.ended.set()
        for thread in load.threads:
            thread.result()
    return load, results


def _requests(served: ServedInstallation, key: str, random: Random) -> TimedRequests:
    return TimedRequests(served, key, Random(random.random()))


def _kinds(random: Random, failovers: int) -> list[str]:
    """Return the kinds of all failovers, each as often as the others, in random order."""
    kinds = [list(FAILURES)[number % len(FAILURES)] for number in range(failovers)]
    random.shuffle(kinds)
    return kinds


def _fail_over(cluster: PatroniCluster, load: Load, reader: Requests, kind: str, random: Random) -> Failover:
    """Let the primary fail, and measure until everything works again. It recovers before or after that."""
    primary = cluster.wait_until_healthy()
    fail, recover = FAILURES[kind]
    acknowledged = load.acknowledged()
    started = time.monotonic()
    fail(cluster, primary)
    promoted = cluster.wait_until_promoted(primary)
    promoted_at = time.monotonic()
    is_early = random.random() < 0.5
    if is_early:
        recover(primary)
    writes_s, workers_s = _measure_reconnection(load, promoted, promoted_at)
    if not is_early:
        recover(primary)
    task_s = _measure_task(reader, load.counters[0][0].client_id)
    lost = _count_lost(cluster, load)
    load.raise_errors()
    result = Failover(
        kind,
        promoted_at - started,
        writes_s,
        workers_s,
        task_s,
        load.acknowledged() - acknowledged,
        lost,
    )
    assert lost == 0, f"acknowledged records are missing: {result}"
    return result


def _measure_reconnection(load: Load, primary: Member, promoted_at: float) -> tuple[float, float]:
    """Return when all servers had accepted a write, and when all workers were connected, in seconds."""
    workers_s: float | None = None
    deadline = promoted_at + MEASURED_WITHIN_S
    while time.monotonic() < deadline:
        load.raise_errors()
        writes_s = [seconds for seconds in load.seconds_without_writes(promoted_at) if seconds is not None]
        if workers_s is None and _query(primary, WORKERS) == SERVERS:
            workers_s = time.monotonic() - promoted_at
        if workers_s is not None and len(writes_s) == SERVERS:
            return max(writes_s), workers_s
        time.sleep(COUNTER_PAUSE_S)
    raise AssertionError(f"not reconnected within {MEASURED_WITHIN_S} s: writes {writes_s}, workers {workers_s}")


def _measure_task(reader: Requests, client_id: int) -> float:
    """Queue a report, and return the seconds until a worker has completed it."""
    started = time.monotonic()
    path = f"/clients/{client_id}/reports"
    uuid = reader.call("POST", f"{path}/{REPORT}/async", SPAN).json()["uuid"]
    wait_for("a task is done", lambda: reader.get(f"{path}/poll/{uuid}").status_code == 200, MEASURED_WITHIN_S)
    return time.monotonic() - started


def _count_lost(cluster: PatroniCluster, load: Load) -> int:
    """Return how many acknowledged records the primary does not have. No run may have been finalised twice."""
    acknowledged = load.acknowledged_ids()
    missing = [
        _query_primary(cluster, MISSING.format(table, table), record_ids) for table, record_ids in acknowledged.items()
    ]
    assert _query_primary(cluster, FINALISED_TWICE) == 0, "a run was finalised twice"
    return sum(missing)


def _query_primary(cluster: PatroniCluster, query: str, *arguments: Any) -> int:
    """Return a number from the primary, even if another failover follows."""
    numbers: list[int] = []

    def is_answered() -> bool:
        primary = cluster.find_primary()
        number = None if primary is None else _query(primary, query, *arguments)
        numbers.extend([] if number is None else [number])
        return number is not None

    wait_for("the primary answers", is_answered, MEASURED_WITHIN_S)
    return numbers[0]


def _query(member: Member, query: str, *arguments: Any) -> int | None:
    """Return a number, or None if the member does not answer."""
    try:
        number: int = member.fetch_value(query, *arguments)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return None
    return number


Failure = tuple[Callable[[PatroniCluster, Member], None], Callable[[Member], None]]
FAILURES: Mapping[str, Failure] = {
    "machine killed": (lambda _, primary: primary.kill(), Member.start),
    "PostgreSQL killed": (lambda _, primary: primary.kill_postgres(), lambda _: None),
    "machine frozen": (lambda _, primary: primary.signal_all(signal.SIGSTOP), Member.reset),
    "switchover": (PatroniCluster.switch_over, lambda _: None),
    "Patroni restarted": (lambda _, primary: primary.stop(), Member.start),
}
"""How the primary fails, and how it recovers after the promotion."""


def _print_table(results: Sequence[Failover], load: Load, receiver: WebhookReceiver) -> None:
    header = (
        "failover",
        "count",
        "promoted p50",
        "max s",
        "no writes p50",
        "max s",
        "workers p50",
        "max s",
        "task p50",
    )
    _print_row((*header, "writes", "lost"))
    for kind in (*FAILURES, "all"):
        if of_kind := [result for result in results if kind in (result.kind, "all")]:
            _print_row((kind, *_summary(of_kind)))
    rows = {
        "acknowledged writes": load.acknowledged(),
        "employees": sum(len(company.employee_ids) for company in load.companies),
        "runs": sum(len(company.run_ids) for company in load.companies),
        "events": len(receiver.event_ids),
        "deliveries": receiver.event_ids.total(),
    }
    for name, value in rows.items():
        print(f"  {name:<20} {value:>8}", flush=True)


def _summary(results: Sequence[Failover]) -> tuple[object, ...]:
    measures = [[getattr(result, name) for result in results] for name in ("promoted_s", "writes_s", "workers_s")]
    times = [f"{value:.1f}" for values in measures for value in (median(values), max(values))]
    task = f"{median(result.task_s for result in results):.1f}"
    return (len(results), *times, task, sum(result.acknowledged for result in results), sum(r.lost for r in results))


def _print_row(cells: Sequence[object]) -> None:
    name, *values = (str(cell) for cell in cells)
    print(f"  {name:<18}", *(f"{value:>13}" for value in values), flush=True)
