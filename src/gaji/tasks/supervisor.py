"""Run tasks and sweeps as separate asyncio tasks, so that a failure or a stop affects only one of them."""

import asyncio
import time
import traceback
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field

from gaji.core.fair_queue import NO_OWNER
from gaji.core.logs import LogLevel, log
from gaji.core.metrics import record_task
from gaji.core.traces import span
from gaji.core.vault import Vault
from gaji.db.errors import is_connection_error
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.tasks.queue import ClientTask, enqueue_on
from gaji.tasks.registry import TaskRegistry

MAX_LOGGED_FRAMES = 6
SERVICE_RESTART_S = 1.0


@dataclass
class AccountShare:
    """The free slots of an account, and its tasks that wait for one, by name and client.

    A task does everything that is pending for its client, so one that waits already is not added again.
    """

    free_slots: int
    waiting: OrderedDict[tuple[str, int], None] = field(default_factory=OrderedDict)


class Supervisor:
    """Runs tasks and sweeps until it is stopped."""

    def __init__(self, pool: Pool, vault: Vault, registry: TaskRegistry, max_per_account: int) -> None:
        self._pool = pool
        self._vault = vault
        self._registry = registry
        self._running: set[asyncio.Task[None]] = set()
        self._running_tasks: list[tuple[str, ClientTask]] = []
        self._shares: defaultdict[int, AccountShare] = defaultdict(lambda: AccountShare(max_per_account))

    async def run_task(self, name: str, task: ClientTask) -> None:
        """Run a task for a client. If it fails, a sweep finds the work that is left.

        If the account has no free slot, return at once. One of its tasks that are running then runs this one too,
        when it ends, so that the queue can start tasks of other accounts in the meantime.
        """
        if task.account_id == NO_OWNER:
            await self._run_task(name, task)
            return
        share = self._shares[task.account_id]
        share.waiting[name, task.client_id] = None
        if share.free_slots == 0:
            return
        share.free_slots -= 1
        try:
            while share.waiting:
                (next_name, client_id), _ = share.waiting.popitem(last=False)
                await self._run_task(next_name, ClientTask(client_id, task.account_id))
        finally:
            share.free_slots += 1

    async def _run_task(self, name: str, task: ClientTask) -> None:
        client_id = task.client_id
        self._running_tasks.append((name, task))
        try:
            await self._run(name, self._registry.tasks[name](self._pool, self._vault, client_id), client_id=client_id)
        finally:
            self._running_tasks.remove((name, task))

    async def run_sweep(self, name: str) -> None:
        """Run a sweep."""
        await self._run(name, self._registry.sweeps[name].run(self._pool, self._vault))

    async def run_all_sweeps(self) -> None:
        """Run all sweeps concurrently."""
        await asyncio.gather(*(self.run_sweep(name) for name in self._registry.sweeps))

    async def run_services(self) -> None:
        """Run all services until the supervisor stops. One that fails is started again."""
        await asyncio.gather(*(self._run_service(name) for name in self._registry.services))

    async def _run_service(self, name: str) -> None:
        while True:
            await self._run(name, self._registry.services[name](self._pool, self._vault))
            await asyncio.sleep(SERVICE_RESTART_S)

    async def execute(self, statement: str) -> None:
        """Run a statement on a connection of the runner."""
        async with pooled_connection(self._pool) as connection:
            await connection.execute(statement)

    def terminate_connections(self) -> None:
        """Close all connections at once. Whatever uses them fails, and is done again later."""
        self._pool.terminate_connections()

    async def stop(self) -> list[tuple[str, ClientTask]]:
        """Cancel everything that is running. Uncommitted work is done again later.

        Return the tasks that were running, or waiting for a slot of their account.
        """
        unfinished = [*self._running_tasks, *self._take_waiting()]
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        return [*unfinished, *self._take_waiting()]  # the queue may have started others in the meantime

    def _take_waiting(self) -> list[tuple[str, ClientTask]]:
        """Remove and return the tasks that wait for a slot of their account."""
        waiting = []
        for account_id, share in self._shares.items():
            waiting += [(name, ClientTask(client_id, account_id)) for name, client_id in share.waiting]
            share.waiting.clear()
        return waiting

    async def return_tasks(self, tasks: Sequence[tuple[str, ClientTask]]) -> None:
        """Return tasks to the queue, for other workers."""
        async with pooled_connection(self._pool) as connection:
            for name, task in tasks:
                await enqueue_on(connection, name, task)

    async def _run(self, name: str, work: Awaitable[None], **context: int) -> None:
        task = asyncio.create_task(_observe(name, work, context))
        self._running.add(task)
        try:
            await task
        finally:
            self._running.discard(task)


async def _observe(name: str, work: Awaitable[None], context: Mapping[str, int]) -> None:
    """Await work, measure it and log its failure, with the client if it is about one.

    The message of the exception is not logged, because it can quote personal data.
    """
    started = time.perf_counter()
    outcome = "cancelled"
    try:
        with span(name):
            await work
        outcome = "done"
    except Exception as error:
        outcome = "failed"
        cause = error.__cause__ or error
        frames = traceback.extract_tb(cause.__traceback__)[-MAX_LOGGED_FRAMES:]
        interrupted = is_connection_error(cause)
        log(
            LogLevel.WARNING if interrupted else LogLevel.ERROR,
            "job interrupted" if interrupted else "job failed",
            job=name,
            **context,
            error=type(cause).__name__,
            places=[f"{frame.filename}:{frame.lineno}" for frame in frames],
        )
    finally:
        record_task(name, outcome, time.perf_counter() - started)
