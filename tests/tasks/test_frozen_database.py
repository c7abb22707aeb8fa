"""A worker does not wait for a database that is frozen and keeps its connections open."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db import connect as connections
from gaji.db.database import locate_database
from gaji.db.pool import Pool
from gaji.db.secret_key import open_vault
from gaji.db.tenancy import pooled_connection
from gaji.tasks import worker as workers
from gaji.tasks.registry import TaskRegistry
from tests.support.relay import Relay, listening
from tests.support.running import WAIT_S


def test_a_worker_connects_to_another_host_if_the_database_is_frozen(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(workers, "POLL_INTERVAL", timedelta(hours=1))
    monkeypatch.setattr(connections, "HOST_TIMEOUT_S", 1.0)

    async def run() -> None:
        first, second = Relay(settings), Relay(settings)
        queries: asyncio.Queue[int] = asyncio.Queue()

        async def query_forever(pool: Pool, _: Vault) -> None:
            while True:
                async with pooled_connection(pool) as connection:
                    queries.put_nowait(await connection.fetchval("SELECT 1"))
                await asyncio.sleep(0.01)

        async with listening(first.serve) as first_port, listening(second.serve) as second_port:
            relayed = replace(settings, database_url=first.url(first_port, second_port))
            database, registry = locate_database(relayed), TaskRegistry({}, {}, {"query": query_forever})
            vault = await open_vault(database, relayed)
            working = asyncio.create_task(workers.work(database, vault, registry, relayed))
            await asyncio.wait_for(queries.get(), WAIT_S)
            first.freeze()
            monkeypatch.setattr(workers, "QUEUE_TIMEOUT_S", 1.0)
            await asyncio.wait_for(second.connected.wait(), WAIT_S)
            monkeypatch.setattr(workers, "QUEUE_TIMEOUT_S", WAIT_S)
            while not queries.empty():
                queries.get_nowait()
            await asyncio.wait_for(queries.get(), WAIT_S)
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            first.resume()  # so that its connections end
            await asyncio.sleep(0.1)

    asyncio.run(run())
