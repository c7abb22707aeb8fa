"""Workers that hang or were killed: others notice, and look for the tasks that they had taken."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.connect import connect
from gaji.db.database import Database, locate_database
from gaji.db.pool import Pool
from gaji.db.worker_heartbeats import MAX_AGE, RECORD_HEARTBEAT, load_workers
from gaji.tasks import worker as workers
from gaji.tasks.registry import Sweep, TaskRegistry
from tests.reports.worker_processes import worker
from tests.support.running import METRICS_TOKEN, WAIT_S, Service, running_service

DISK_FULL = """
    CREATE SEQUENCE failed_heartbeats;
    CREATE OR REPLACE FUNCTION record_worker_heartbeat(worker_name text, max_age interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = gaji, pg_temp AS $$ BEGIN
        PERFORM nextval('failed_heartbeats');
        RAISE disk_full;
    END $$
"""
LATE = "UPDATE worker_heartbeats SET beat_at = beat_at - interval '31 seconds'"


def wait_for_readiness(service: Service, is_expected: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the first response of `/readyz` that is as expected."""
    deadline = time.monotonic() + WAIT_S
    while not is_expected(answer := service.http.get(f"{service.url}/readyz").json()):
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
    return dict(answer)


@pytest.mark.slow
def test_readiness_and_metrics_tell_when_a_worker_hangs(settings: Settings, tmp_path: Path) -> None:
    settings = replace(settings, metrics_token=METRICS_TOKEN)
    with running_service(settings, tmp_path, arguments=["--no-worker"]) as service:
        answer = wait_for_readiness(service, lambda answer: True)
        assert (answer["worker"], answer["worker_heartbeat_age_s"]) == ("missing", None)
        with worker(service, tmp_path) as process:
            answer = wait_for_readiness(service, lambda answer: answer["worker_heartbeat_age_s"] is not None)
            assert (answer["worker"], answer["worker_heartbeat_age_s"] < MAX_AGE.seconds) == ("running", True)
            os.kill(process.pid, signal.SIGSTOP)
            try:
                service.as_owner(LATE)  # instead of waiting for half a minute
                answer = wait_for_readiness(service, lambda answer: answer["worker"] == "not_responding")
                assert answer["worker_heartbeat_age_s"] >= MAX_AGE.seconds
                headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
                page = service.http.get(f"{service.url}/metrics", headers=headers).text
                assert "gaji_workers 1.0" in page
                [line] = [line for line in page.splitlines() if line.startswith("gaji_worker_heartbeat_age_seconds{")]
                assert f':{process.pid}"' in line
                assert float(line.split()[-1]) >= MAX_AGE.seconds
            finally:
                os.kill(process.pid, signal.SIGCONT)
            wait_for_readiness(service, lambda answer: answer["worker"] == "running")
            [latest] = service.as_owner("SELECT backend_pid FROM worker_heartbeats ORDER BY beat_at DESC LIMIT 1")
        wait_for_readiness(service, lambda answer: answer["worker"] == "missing")
        # There may be a row of an earlier connection, if the worker was stopped while it waited for the database.
        assert latest not in service.as_owner("SELECT backend_pid FROM worker_heartbeats")


@pytest.mark.slow
def test_tasks_of_a_worker_that_does_not_respond_count_as_waiting(service: Service) -> None:
    service.as_owner(
        "INSERT INTO pgqueuer (priority, created, updated, heartbeat, execute_after, status, entrypoint) "
        "SELECT 0, t, t, now() - interval '1 minute', t, 'picked', 'unknown' "
        "FROM (SELECT now() - interval '2 hours' AS t) x"
    )
    try:
        assert wait_for_readiness(service, lambda answer: True)["queue_age_s"] >= 7200
    finally:
        service.as_owner("DELETE FROM pgqueuer WHERE entrypoint = 'unknown'")


class SweepCounter:
    """Counts the runs of a sweep."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = asyncio.Event()

    async def sweep(self, pool: Pool, vault: Vault) -> None:
        self.count += 1
        self._changed.set()

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while self.count < count:
                self._changed.clear()
                await self._changed.wait()


def test_another_worker_looks_for_pending_work_when_one_is_killed_or_hangs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.1)
    database, counter = locate_database(settings), SweepCounter()
    registry = TaskRegistry({}, {"look": Sweep(counter.sweep, "0 0 1 1 *")}, {})

    async def run() -> None:
        working = asyncio.create_task(workers.work(database, Vault(bytes(32)), registry, settings))
        try:
            await counter.wait_for(1)  # when it starts
            killed = await _connect_worker(database)
            killed.terminate()
            await counter.wait_for(2)
            hanging = await _connect_worker(database)
            async with database.owner_connection() as owner:
                await owner.execute(f"{LATE} WHERE name = 'other'")
            await counter.wait_for(3)
            hanging.terminate()  # its tasks have been looked for already
            await _wait_until(database, "NOT EXISTS (SELECT FROM worker_heartbeats WHERE name = 'other')")
            await asyncio.sleep(0.5)
            assert counter.count == 3
        finally:
            working.cancel()
            await asyncio.wait([working])

    asyncio.run(run())


def test_a_worker_that_has_connected_again_is_listed_once(settings: Settings) -> None:
    database = locate_database(settings)

    async def run() -> None:
        earlier = await _connect_worker(database)
        async with database.owner_connection() as owner:
            await owner.execute(LATE)
        others = [await _connect_worker(database)]
        others += [await connect(database.as_application("gaji worker")) for _ in range(2)]  # of an older version
        try:
            listed = await load_workers(others[0])
            assert sorted(worker.name for worker in listed) == ["other", "unknown", "unknown"]
            assert all(worker.responds for worker in listed)
        finally:
            for connection in (earlier, *others):
                await connection.close()

    asyncio.run(run())


def test_the_age_of_a_heartbeat_does_not_grow_during_a_transaction(settings: Settings) -> None:
    """The transaction may not see later heartbeats."""

    async def run() -> None:
        connection = await _connect_worker(locate_database(settings))
        try:
            async with connection.transaction(isolation="repeatable_read"):
                before = await load_workers(connection)
                await connection.execute("SELECT pg_sleep(0.01)")
                assert await load_workers(connection) == before
        finally:
            await connection.close()

    asyncio.run(run())


def test_a_worker_stays_connected_while_the_disk_is_full(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.1)
    database, counter = locate_database(settings), SweepCounter()
    registry = TaskRegistry({}, {"look": Sweep(counter.sweep, "0 0 1 1 *")}, {})

    async def run() -> None:
        async with database.owner_connection() as owner:
            await owner.execute(DISK_FULL)
        working = asyncio.create_task(workers.work(database, Vault(bytes(32)), registry, settings))
        try:
            await counter.wait_for(1)  # when it is connected
            await _wait_until(database, "(SELECT last_value FROM failed_heartbeats) > 5")
            assert not working.done()
        finally:
            working.cancel()
            await asyncio.wait([working])

    asyncio.run(run())
    assert counter.count == 1
    events = [json.loads(line)["event"] for line in capfdbinary.readouterr().err.splitlines()]
    assert events == ["heartbeat not recorded"]


async def _connect_worker(database: Database) -> asyncpg.Connection:
    connection = await connect(database.as_application("gaji worker"))
    await connection.execute(RECORD_HEARTBEAT, "other", MAX_AGE)
    return connection


async def _wait_until(database: Database, condition: str) -> None:
    async with asyncio.timeout(WAIT_S), database.owner_connection() as owner:
        while not await owner.fetchval(f"SELECT {condition}"):  # noqa: ASYNC110 - the database is polled
            await asyncio.sleep(0.05)
