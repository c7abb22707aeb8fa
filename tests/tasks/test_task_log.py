"""The log of the task queue does not grow for ever."""

import asyncio

import asyncpg

from gaji.core.settings import Settings
from gaji.db.connect import connect
from gaji.db.database import locate_database
from gaji.tasks.worker import DELETE_OLD_TASK_LOG

INSERT = """
    INSERT INTO pgqueuer_log (created, job_id, status, priority, entrypoint)
    VALUES (now() - $1::text::interval, 1, 'successful', 0, $1)
"""


def test_old_entries_are_deleted(settings: Settings) -> None:
    async def run() -> list[str]:
        connection: asyncpg.Connection = await connect(locate_database(settings).as_application("test"))
        try:
            await connection.executemany(INSERT, [("29 days",), ("31 days",)])
            await connection.execute(DELETE_OLD_TASK_LOG)
            return [row["entrypoint"] for row in await connection.fetch("SELECT entrypoint FROM pgqueuer_log")]
        finally:
            await connection.close()

    assert asyncio.run(run()) == ["29 days"]
