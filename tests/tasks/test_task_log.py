"""The log of the task queue does not grow for ever, and failures of tasks are logged."""

import asyncio
import json
from typing import cast

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.connect import connect
from gaji.db.database import locate_database
from gaji.db.pool import Pool
from gaji.tasks.queue import ClientTask
from gaji.tasks.registry import TaskRegistry
from gaji.tasks.supervisor import Supervisor
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


def test_the_failure_of_a_task_is_logged_with_its_client_and_without_its_message(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    async def fail(pool: Pool, vault: Vault, client_id: int) -> None:
        raise ValueError("Tan Ah Kow")

    registry = TaskRegistry(tasks={"recalculate": fail}, sweeps={}, services={})
    supervisor = Supervisor(cast("Pool", None), cast("Vault", None), registry, max_per_account=1)
    asyncio.run(supervisor.run_task("recalculate", ClientTask(4, account_id=1)))
    line = json.loads(capfdbinary.readouterr().err)
    assert (line["event"], line["job"], line["client_id"], line["error"]) == (
        "job failed",
        "recalculate",
        4,
        "ValueError",
    )
    assert "Tan Ah Kow" not in str(line)
