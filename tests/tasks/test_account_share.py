"""Long tasks of one account leave room for those of others."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.connect import connect
from gaji.db.database import Database, locate_database
from gaji.db.pool import Pool
from gaji.tasks.queue import ClientTask, enqueue_on
from gaji.tasks.registry import TaskRegistry
from gaji.tasks.supervisor import Supervisor
from gaji.tasks.worker import MAX_TASKS, work

ACCOUNT, OTHER_ACCOUNT = 1, 2
TIMEOUT_S = 60


class Recorder:
    """Tasks that run until they are released, and the clients whose tasks have begun and ended."""

    def __init__(self) -> None:
        self.released = asyncio.Event()
        self.begun: list[int] = []
        self.ended: list[int] = []
        self._changed = asyncio.Event()

    async def slow(self, pool: Pool, vault: Vault, client_id: int) -> None:
        self.begun.append(client_id)
        await self.released.wait()
        self._end(client_id)

    async def quick(self, pool: Pool, vault: Vault, client_id: int) -> None:
        self._end(client_id)

    def _end(self, client_id: int) -> None:
        self.ended.append(client_id)
        self._changed.set()

    async def wait_for_ended(self, count: int) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while len(self.ended) < count:
                self._changed.clear()
                await self._changed.wait()


async def run_worker(settings: Settings, check: Callable[[Database, Recorder], Awaitable[None]]) -> None:
    recorder, database = Recorder(), locate_database(settings)
    registry = TaskRegistry({"slow": recorder.slow, "quick": recorder.quick}, {}, {})
    working = asyncio.create_task(work(database, Vault(bytes(32)), registry, settings))
    try:
        await check(database, recorder)
    finally:
        working.cancel()
        await asyncio.wait([working])


async def enqueue_all(database: Database, name: str, tasks: Sequence[ClientTask]) -> None:
    connection: asyncpg.Connection = await connect(database.as_application("test"))
    try:
        for task in tasks:
            await enqueue_on(connection, name, task)
    finally:
        await connection.close()


@pytest.mark.timeout(3 * TIMEOUT_S)
def test_slow_tasks_of_an_account_leave_a_place_for_others_and_all_run(settings: Settings) -> None:
    async def check(database: Database, recorder: Recorder) -> None:
        clients = list(range(1, 2 * MAX_TASKS + 1))
        await enqueue_all(database, "slow", [ClientTask(client_id, ACCOUNT) for client_id in clients])
        await enqueue_all(database, "quick", [ClientTask(100, OTHER_ACCOUNT)])
        await recorder.wait_for_ended(1)
        assert (recorder.ended, len(recorder.begun)) == ([100], MAX_TASKS - 1)
        recorder.released.set()
        await recorder.wait_for_ended(len(clients) + 1)
        assert sorted(recorder.ended) == [*clients, 100]

    asyncio.run(run_worker(settings, check))


@pytest.mark.timeout(3 * TIMEOUT_S)
def test_tasks_that_run_or_wait_for_their_account_are_left_to_other_workers(settings: Settings) -> None:
    async def check(database: Database, recorder: Recorder) -> None:
        tasks = [ClientTask(client_id, ACCOUNT) for client_id in range(1, 2 * MAX_TASKS + 1)]
        await enqueue_all(database, "slow", tasks)
        await enqueue_all(database, "quick", [ClientTask(100, OTHER_ACCOUNT)])
        await recorder.wait_for_ended(1)
        async with asyncio.timeout(TIMEOUT_S):
            while await _count_queued(database):  # noqa: ASYNC110 - the database is polled
                await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)
            while await _count_queued(database) < len(tasks):  # noqa: ASYNC110 - the database is polled
                await asyncio.sleep(0.05)

    asyncio.run(run_worker(settings, check))


def test_tasks_that_the_queue_starts_while_the_worker_stops_are_returned_too() -> None:
    async def run() -> None:
        begun, cancelled, released = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def slow(pool: Pool, vault: Vault, client_id: int) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
                await released.wait()

        registry = TaskRegistry({"slow": slow}, {}, {})
        supervisor = Supervisor(cast("Pool", None), cast("Vault", None), registry, max_per_account=1)
        tasks = [ClientTask(client_id, ACCOUNT) for client_id in (1, 2)]
        running = asyncio.create_task(supervisor.run_task("slow", tasks[0]))
        await begun.wait()
        stopping = asyncio.create_task(supervisor.stop())
        await cancelled.wait()
        await supervisor.run_task("slow", tasks[1])
        released.set()
        assert await stopping == [("slow", task) for task in tasks]
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(asyncio.wait_for(run(), TIMEOUT_S))


async def _count_queued(database: Database) -> int:
    """The tasks that no worker has taken."""
    connection: asyncpg.Connection = await connect(database.as_application("test"))
    try:
        count: int = await connection.fetchval("SELECT count(*) FROM pgqueuer WHERE status = 'queued'")
    finally:
        await connection.close()
    return count
