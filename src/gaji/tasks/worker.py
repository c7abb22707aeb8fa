"""The worker: takes jobs from the queue in the database, and keeps house."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import asyncpg
import msgspec
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job, Schedule

from gaji.core.gc_tuning import collect_rarely
from gaji.core.law_loader import law
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.db.queue import ClientJob
from gaji.db.errors import is_unreachable
from gaji.db.tenancy import open_pool
from gaji.tasks.registry import TaskRegistry
from gaji.tasks.doing import Doer

RETRY_S = 1.0
AT_ONCE = 2
"""Jobs that are taken at a time; twice as many can be under way."""
CONNECTIONS = 16
"""A job may use several at a time, and waits for its others while it has one."""
POLL = timedelta(seconds=10)
"""Whoever asks for a job rings a bell; this is for when the bell was not heard."""

_decode = msgspec.json.Decoder(ClientJob).decode


async def work(database: Database, vault: Vault, registry: TaskRegistry) -> None:
    """Work until told to stop; when the database goes away, wait for it to come back."""
    law()  # wrong figures are refused before anything is calculated
    collect_rarely()
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    while not stopping.is_set():
        try:
            await _work_while_connected(database, vault, registry, stopping)
        except Exception as error:
            if not is_unreachable(error):
                raise
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), RETRY_S)


async def _work_while_connected(
    database: Database, vault: Vault, registry: TaskRegistry, stopping: asyncio.Event
) -> None:
    lost = asyncio.Event()
    async with _connection(database, lost) as connection, _doer(database, vault, registry) as doer:
        queue = _queue(connection, doer, registry)
        running = asyncio.create_task(queue.run(POLL, AT_ONCE, max_concurrent_tasks=2 * AT_ONCE))
        left_over = asyncio.create_task(doer.sweep_all())
        ends = [asyncio.create_task(stopping.wait()), asyncio.create_task(lost.wait())]
        try:
            await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
            queue.shutdown.set()
            await doer.stop()
            await asyncio.wait([running], timeout=None if stopping.is_set() else RETRY_S)
        finally:
            for task in (*ends, left_over, running):
                task.cancel()
            await asyncio.gather(*ends, left_over, running, return_exceptions=True)


def _queue(connection: asyncpg.Connection, doer: Doer, registry: TaskRegistry) -> PgQueuer:
    queue = PgQueuer(AsyncpgDriver(connection))
    for name in registry.tasks:
        queue.entrypoint(name)(_job(name, doer))
    for name, sweep in registry.sweeps.items():
        queue.schedule(name, sweep.schedule)(_sweep(name, doer))

    async def forget_old_answers(_: Schedule) -> None:
        await connection.execute("SELECT forget_old_answers()")

    queue.schedule("forget_old_answers", "*/10 * * * *")(forget_old_answers)
    return queue


def _job(name: str, doer: Doer) -> Callable[[Job], Awaitable[None]]:
    async def do(job: Job) -> None:
        await doer.do(name, _decode(job.payload or b"").client_id)

    return do


def _sweep(name: str, doer: Doer) -> Callable[[Schedule], Awaitable[None]]:
    async def sweep(_: Schedule) -> None:
        await doer.sweep(name)

    return sweep


@contextlib.asynccontextmanager
async def _connection(database: Database, lost: asyncio.Event) -> AsyncIterator[asyncpg.Connection]:
    """The connection of the queue, whose end sets the event."""
    connection = await asyncpg.connect(**database.as_application("gaji worker"))
    connection.add_termination_listener(lambda _: lost.set())
    try:
        yield connection
    finally:
        with contextlib.suppress(Exception):
            await connection.close(timeout=1)


@contextlib.asynccontextmanager
async def _doer(database: Database, vault: Vault, registry: TaskRegistry) -> AsyncIterator[Doer]:
    """Whoever does the jobs, on connections of its own: the queue must go on saying that it is alive."""
    pool = await open_pool(database.as_application("gaji job"), CONNECTIONS)
    try:
        yield Doer(pool, vault, registry)
    finally:
        await pool.close()
