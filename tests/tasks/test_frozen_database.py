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
        starts: asyncio.Queue[asyncio.Task[None]] = asyncio.Queue()

        async def query_forever(pool: Pool) -> None:
            while True:
                async with pooled_connection(pool) as connection:
                    await connection.execute("SELECT")
                await asyncio.sleep(0.01)

        async def start_queries(pool: Pool, _: Vault) -> None:
            # Deliveries of webhooks are not cancelled with their service either.
            starts.put_nowait(asyncio.create_task(query_forever(pool)))
            await asyncio.Event().wait()

        async with listening(first.serve) as first_port, listening(second.serve) as second_port:
            relayed = replace(settings, database_url=first.url(first_port, second_port))
            database = locate_database(relayed)
            registry = TaskRegistry({}, {}, {"queries": start_queries})
            vault = await open_vault(database, relayed)
            working = asyncio.create_task(workers.work(database, vault, registry, relayed))
            queries = [await asyncio.wait_for(starts.get(), WAIT_S)]
            await asyncio.sleep(0.1)
            first.freeze()
            monkeypatch.setattr(workers, "QUEUE_TIMEOUT_S", 1.0)
            await asyncio.wait_for(second.connected.wait(), WAIT_S)
            monkeypatch.setattr(workers, "QUEUE_TIMEOUT_S", WAIT_S)
            queries.append(await asyncio.wait_for(starts.get(), WAIT_S))
            for task in (*queries, working):
                task.cancel()
            await asyncio.gather(*queries, working, return_exceptions=True)
            first.resume()  # so that its connections end
            await asyncio.sleep(0.1)

    asyncio.run(run())
