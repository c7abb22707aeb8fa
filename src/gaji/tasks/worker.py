"""The worker process: takes tasks from the queue in the database and runs sweeps on their schedule."""

import asyncio
import contextlib
import math
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import asyncpg
import msgspec
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job, Schedule

from gaji.core.gc_tuning import tune_gc
from gaji.core.law_loader import current_law
from gaji.core.logs import LogLevel, log
from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.connect import connect
from gaji.db.database import Database
from gaji.db.errors import as_unavailable
from gaji.db.migration_files import latest_version
from gaji.db.rolling_upgrade import IS_OLDER, OlderVersion, join_servers
from gaji.db.tenancy import open_pool
from gaji.db.worker_heartbeats import DELETE_HEARTBEAT, MAX_AGE, RECORD_HEARTBEAT, worker_name
from gaji.tasks.queue import ClientTask
from gaji.tasks.registry import TaskRegistry
from gaji.tasks.supervisor import Supervisor

RETRY_S = 1.0
BATCH_SIZE = 2
"""Tasks that are taken from the queue at a time. Twice as many can run at once."""
MAX_TASKS = 2 * BATCH_SIZE
MAX_TASKS_PER_ACCOUNT = MAX_TASKS - 1
"""The tasks of one account that run at once, so that tasks of others can always start."""
QUEUE_TIMEOUT_S = 10.0
"""For one statement of the queue. The worker connects again if the database does not respond for longer."""
HEARTBEAT_S = 5.0
"""The interval at which the worker shows that it works, and checks that the database responds."""
DISK_FULL_LOG_S = 60.0
"""The interval at which the worker logs that the disk is full."""
POLL_INTERVAL = timedelta(seconds=10)
"""The queue notifies the worker of new tasks. Polling finds those whose notification was lost."""

DELETE_OLD_TASK_LOG = "DELETE FROM pgqueuer_log WHERE created < now() - interval '30 days'"
"""The queue keeps a row for each step of each task, and does not delete them."""

_decode = msgspec.json.Decoder(ClientTask).decode


async def work(database: Database, vault: Vault, registry: TaskRegistry, settings: Settings) -> None:
    """Work until SIGINT or SIGTERM. If the database connection is lost, reconnect.

    If a newer version has migrated the database or is about to, stop working and leave all tasks to its workers. If the
    migration fails, continue.
    """
    version = latest_version()  # now: an upgrade replaces the files under a running worker
    current_law()  # fail before any work if the parameter files are not valid
    tune_gc()
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    while not stopping.is_set():
        try:
            await _work_while_connected(database, vault, registry, settings, stopping, version)
        except OlderVersion:
            await _wait_for(stopping, HEARTBEAT_S)
        except Exception as error:
            if as_unavailable(error) is None:
                raise
            log(LogLevel.WARNING, "worker disconnected", error=type(error).__name__)
            await _wait_for(stopping, RETRY_S)


async def _wait_for(event: asyncio.Event, timeout_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_s)


async def _work_while_connected(
    database: Database,
    vault: Vault,
    registry: TaskRegistry,
    settings: Settings,
    stopping: asyncio.Event,
    version: int,
) -> None:
    disconnected = asyncio.Event()
    async with (
        _connect(database, disconnected, version) as connection,
        _open_runner(database, vault, registry, settings) as runner,
    ):
        driver = AsyncpgDriver(connection)
        queue = _create_queue(driver, runner, registry)
        consuming = asyncio.create_task(queue.run(POLL_INTERVAL, BATCH_SIZE, max_concurrent_tasks=MAX_TASKS))
        worker_lost = asyncio.Event()
        sweeping = asyncio.create_task(_run_sweeps(runner, worker_lost))
        serving = asyncio.create_task(runner.run_services())
        beating = asyncio.create_task(_keep_heartbeat(driver, version, worker_lost))
        ends = [beating, asyncio.create_task(stopping.wait()), asyncio.create_task(disconnected.wait())]
        try:
            await asyncio.wait([consuming, *ends], return_when=asyncio.FIRST_COMPLETED)
            is_older = beating.done() and isinstance(beating.exception(), OlderVersion)
            failed = [] if disconnected.is_set() else [task for task in (consuming, beating) if task.done()]
            queue.shutdown.set()
            serving.cancel()
            beating.cancel()
            if not (stopping.is_set() or is_older):  # do not wait for a database that does not respond
                connection.terminate()
                runner.terminate_connections()
            unfinished = await runner.stop()
            if stopping.is_set() or is_older:
                await runner.return_tasks(unfinished)
                await driver.execute(DELETE_HEARTBEAT)
            if is_older:
                await asyncio.wait([consuming], timeout=QUEUE_TIMEOUT_S)
            for ended in failed:
                ended.result()  # raises the error that ended it
            await asyncio.wait([consuming], timeout=None if stopping.is_set() else RETRY_S)
        finally:
            for task in (*ends, sweeping, serving, consuming):
                task.cancel()
            await asyncio.gather(*ends, sweeping, serving, consuming, return_exceptions=True)


async def _run_sweeps(runner: Supervisor, worker_lost: asyncio.Event) -> None:
    """Look for pending work now, and again whenever another worker was lost with the tasks that it had taken."""
    while True:
        worker_lost.clear()
        await runner.run_all_sweeps()
        await worker_lost.wait()


async def _keep_heartbeat(driver: AsyncpgDriver, version: int, worker_lost: asyncio.Event) -> None:
    """Show that this worker works, and notice when another one no longer does.

    Raises an error when the database does not respond: a server that is frozen keeps its connections open. Raises
    OlderVersion when this version must stop. While the disk is full, no heartbeat is recorded.
    """
    logged_at = -math.inf
    while True:
        await asyncio.sleep(HEARTBEAT_S)
        async with asyncio.timeout(QUEUE_TIMEOUT_S):
            [row] = await driver.fetch(IS_OLDER, version)
            if row["is_older"]:
                log(LogLevel.WARNING, "worker stopped", reason="a newer version has migrated the database")
                raise OlderVersion
            try:
                [row] = await driver.fetch(RECORD_HEARTBEAT, worker_name(), MAX_AGE)
            except asyncpg.DiskFullError as error:
                if time.monotonic() - logged_at >= DISK_FULL_LOG_S:
                    logged_at = time.monotonic()
                    log(LogLevel.WARNING, "heartbeat not recorded", error=type(error).__name__)
                continue
        if row["lost_workers"]:
            log(LogLevel.WARNING, "worker lost", workers=row["lost_workers"])
            worker_lost.set()


def _create_queue(driver: AsyncpgDriver, runner: Supervisor, registry: TaskRegistry) -> PgQueuer:
    queue = PgQueuer(driver)
    for name in registry.tasks:
        queue.entrypoint(name)(_task_handler(name, runner))
    for name, sweep in registry.sweeps.items():
        queue.schedule(name, sweep.schedule)(_sweep_handler(name, runner))

    async def forget_old_answers(_: Schedule) -> None:
        # The queue may be using its own connection at this moment.
        await runner.execute("SELECT forget_old_answers()")

    async def delete_ended_rate_limit_windows(_: Schedule) -> None:
        await runner.execute("SELECT delete_ended_rate_limit_windows()")

    async def delete_old_task_log(_: Schedule) -> None:
        await runner.execute(DELETE_OLD_TASK_LOG)

    queue.schedule("forget_old_answers", "*/10 * * * *")(forget_old_answers)
    queue.schedule("delete_ended_rate_limit_windows", "*/10 * * * *")(delete_ended_rate_limit_windows)
    queue.schedule("delete_old_task_log", "*/10 * * * *")(delete_old_task_log)
    return queue


def _task_handler(name: str, runner: Supervisor) -> Callable[[Job], Awaitable[None]]:
    async def handle(job: Job) -> None:
        await runner.run_task(name, _decode(job.payload or b""))

    return handle


def _sweep_handler(name: str, runner: Supervisor) -> Callable[[Schedule], Awaitable[None]]:
    async def handle(_: Schedule) -> None:
        await runner.run_sweep(name)

    return handle


@contextlib.asynccontextmanager
async def _connect(database: Database, disconnected: asyncio.Event, version: int) -> AsyncIterator[asyncpg.Connection]:
    """Open the connection of the queue. The event is set when it ends. Raises OlderVersion."""
    connection = await connect(database.as_application("gaji worker"), command_timeout=QUEUE_TIMEOUT_S)
    connection.add_termination_listener(lambda _: disconnected.set())
    try:
        await join_servers(connection, version)
        with contextlib.suppress(asyncpg.DiskFullError):  # see _keep_heartbeat
            await connection.execute(RECORD_HEARTBEAT, worker_name(), MAX_AGE)
        yield connection
    finally:
        with contextlib.suppress(Exception):
            await connection.close(timeout=1)


@contextlib.asynccontextmanager
async def _open_runner(
    database: Database, vault: Vault, registry: TaskRegistry, settings: Settings
) -> AsyncIterator[Supervisor]:
    """Open a runner with its own connections, because the queue needs its connection for heartbeats."""
    pool = await open_pool(
        database.for_transactions("gaji job"),
        settings.worker_connections,
        settings.slow_statement_ms,
        database.at_replica("gaji job"),
    )
    try:
        if database.pooled is not None:  # The connection of the queue was checked when it was opened.
            await pool.check()
        yield Supervisor(pool, vault, registry, MAX_TASKS_PER_ACCOUNT)
    finally:
        await pool.close()
