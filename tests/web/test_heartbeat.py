"""Heartbeat: a server does not wait for a database that is frozen and keeps its connections open."""

import asyncio
from dataclasses import replace

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db import connect as connections
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.identity.service import authenticate
from gaji.web import lifespan as lifespans
from gaji.web.lifespan import Lifespan
from tests.support.relay import Relay, listening
from tests.support.running import WAIT_S


def test_requests_end_and_new_ones_use_another_host_if_the_database_is_frozen(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifespans, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(connections, "HOST_TIMEOUT_S", 1.0)

    async def run() -> None:
        first, second = Relay(settings), Relay(settings)
        async with listening(first.serve) as first_port, listening(second.serve) as second_port:
            url = first.url(first_port, second_port)
            lifespan = Lifespan(replace(settings, database_url=url), authenticate)
            await lifespan.startup()
            pool = lifespan.state().pool
            pool.release(await pool.acquire())  # leaves an idle connection to the first host
            first.freeze()
            monkeypatch.setattr(lifespans, "HEARTBEAT_TIMEOUT_S", 1.0)
            async with asyncio.timeout(WAIT_S):
                with pytest.raises(asyncpg.PostgresConnectionError):
                    await _query(pool)
                monkeypatch.setattr(lifespans, "HEARTBEAT_TIMEOUT_S", WAIT_S)
                await _query(pool)
            await lifespan.shutdown()
            first.resume()  # so that its connections end
            await asyncio.sleep(0.1)

    asyncio.run(run())


async def _query(pool: Pool) -> None:
    async with pooled_connection(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1
