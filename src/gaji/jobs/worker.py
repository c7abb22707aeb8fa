"""The worker: takes jobs from the queue in the database, and keeps house."""

import asyncio
import contextlib
import signal

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Schedule

from gaji.db.database import Database
from gaji.db.pool import Pool
from gaji.db.reach import is_unreachable
from gaji.db.tenancy import open_pool
from gaji.jobs.recalculation import calculate_what_waits, recalculate
from gaji.lawbook import law
from gaji.payslips.recalculation import JOB as RECALCULATE
from gaji.vault import Vault

RETRY_S = 1.0
CONNECTIONS = 4
"""For the work itself, beside the one that waits for jobs."""


async def work(database: Database, vault: Vault) -> None:
    """Work until told to stop; when the database goes away, wait for it to come back."""
    law()  # wrong figures are refused before anything is calculated
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    while not stopping.is_set():
        try:
            await _work_while_connected(database, vault, stopping)
        except Exception as error:
            if not is_unreachable(error):
                raise
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), RETRY_S)


async def _work_while_connected(database: Database, vault: Vault, stopping: asyncio.Event) -> None:
    connection = await asyncpg.connect(**database.as_application("gaji worker"))
    pool = await open_pool(database.as_application("gaji job"), CONNECTIONS)
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    queue = PgQueuer(AsyncpgDriver(connection))
    queue.schedule("forget_old_answers", "*/10 * * * *")(_forget_old_answers(connection))
    queue.schedule("calculate_what_waits", "*/10 * * * *")(_calculate_what_waits(pool, vault))
    queue.entrypoint(RECALCULATE)(recalculate(pool, vault))
    running = asyncio.create_task(queue.run())
    left_over = asyncio.create_task(calculate_what_waits(pool, vault))
    ends = [asyncio.create_task(stopping.wait()), asyncio.create_task(lost.wait())]
    try:
        await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
        queue.shutdown.set()
        await asyncio.wait([running], timeout=None if stopping.is_set() else RETRY_S)
    finally:
        for task in (*ends, left_over, running):
            task.cancel()
        await asyncio.gather(*ends, left_over, running, return_exceptions=True)
        await pool.close()
        with contextlib.suppress(Exception):
            await connection.close(timeout=1)


def _forget_old_answers(connection: asyncpg.Connection):  # type: ignore[no-untyped-def]
    async def forget(_: Schedule) -> None:
        await connection.execute("SELECT forget_old_answers()")

    return forget


def _calculate_what_waits(pool: Pool, vault: Vault):  # type: ignore[no-untyped-def]
    async def calculate(_: Schedule) -> None:
        await calculate_what_waits(pool, vault)

    return calculate
