"""Heartbeat: a server does not wait for a database that is frozen and keeps its connections open."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db import connect as connections
from gaji.db.connect import ConnectArguments
from gaji.db.pool import Pool
from gaji.db.presence import open_presence_session
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


def test_a_session_that_ends_unnoticed_is_replaced(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifespans, "HEARTBEAT_S", 0.1)
    sessions: list[asyncpg.Connection] = []

    async def keep_session(arguments: ConnectArguments, version: int) -> asyncpg.Connection:
        sessions.append(await open_presence_session(arguments, version))
        return sessions[-1]

    monkeypatch.setattr(lifespans, "open_presence_session", keep_session)

    async def run() -> None:
        lifespan = Lifespan(settings, authenticate)
        await lifespan.startup()
        sessions[0]._protocol.abort()  # as asyncpg does if the server ends the session during a statement
        async with asyncio.timeout(WAIT_S):
            await _wait_until(lambda: len(sessions) == 2)
            async with lifespan.monitoring_connection() as connection:
                assert await connection.fetchval("SELECT 1") == 1
        await lifespan.shutdown()
        assert [session.is_closed() for session in sessions] == [True, True]

    asyncio.run(run())


def test_requests_end_if_the_database_freezes_while_the_session_is_replaced(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = 0

    async def never_respond_once(arguments: ConnectArguments, version: int) -> asyncpg.Connection:
        nonlocal attempts
        attempts += 1
        if attempts == 2:
            await asyncio.Event().wait()
        return await open_presence_session(arguments, version)

    monkeypatch.setattr(lifespans, "open_presence_session", never_respond_once)

    async def run() -> None:
        lifespan = Lifespan(settings, authenticate)
        await lifespan.startup()
        monkeypatch.setattr(lifespans, "CONNECT_TIMEOUT_S", 1.0)
        async with asyncio.timeout(WAIT_S):
            waiting = asyncio.create_task(_sleep(lifespan.pool))
            await asyncio.sleep(0.1)
            lifespan.reconnect()
            await _wait_until(lambda: attempts == 2)
            monkeypatch.setattr(lifespans, "CONNECT_TIMEOUT_S", WAIT_S)
            with pytest.raises(asyncpg.PostgresConnectionError):
                await waiting
            await _wait_until(lambda: attempts == 3)
            await _query(lifespan.pool)
        await lifespan.shutdown()

    asyncio.run(run())


async def _wait_until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the state of the server is polled
        await asyncio.sleep(0.05)


async def _sleep(pool: Pool) -> None:
    async with pooled_connection(pool) as connection:
        await connection.execute("SELECT pg_sleep(300)")


async def _query(pool: Pool) -> None:
    async with pooled_connection(pool) as connection:
        assert await connection.fetchval("SELECT 1") == 1
