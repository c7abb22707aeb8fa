"""The pool: connections are shared, waited for and closed, and never reused within a transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db import pool as pools
from gaji.db.database import locate_database
from gaji.db.pool import Pool


@asynccontextmanager
async def opened(settings: Settings, size: int = 1) -> AsyncIterator[Pool]:
    pool = Pool(locate_database(settings).as_application("test pool"), size)
    try:
        yield pool
    finally:
        await pool.close()


def with_pool(settings: Settings, use: Callable[[Pool], Awaitable[Any]], size: int = 1) -> Any:
    async def run() -> Any:
        async with opened(settings, size) as pool:
            return await use(pool)

    return asyncio.run(run())


async def process_id(connection: asyncpg.Connection) -> int:
    number: int = await connection.fetchval("SELECT pg_backend_pid()")
    return number


def test_a_connection_is_used_again(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        first = await pool.acquire()
        pid = await process_id(first)
        pool.release(first)
        second = await pool.acquire()
        assert await process_id(second) == pid
        pool.release(second)

    with_pool(settings, use)


def test_an_idle_connection_is_taken_without_waiting(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        assert pool.try_acquire() is None, "no connection is open yet"
        first = await pool.acquire()
        assert pool.try_acquire() is None, "the only connection is in use"
        pool.release(first)
        second = pool.try_acquire()
        assert second is first
        pool.release(second)

    with_pool(settings, use)


def test_an_idle_connection_that_was_closed_is_not_taken(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        connection = await pool.acquire()
        pool.release(connection)
        connection.terminate()
        assert pool.try_acquire() is None
        pool.release(await pool.acquire())

    with_pool(settings, use)


def test_a_caller_waits_when_all_connections_are_in_use(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        lent = await pool.acquire()
        waiting = asyncio.create_task(pool.acquire())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        pool.release(lent)
        pool.release(await waiting)

    with_pool(settings, use)


def test_a_caller_that_waits_too_long_fails_and_takes_no_slot(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "WAIT_S", 0.05)

    async def use(pool: Pool) -> None:
        lent = await pool.acquire()
        with pytest.raises(TimeoutError):
            await pool.acquire()
        pool.release(lent)
        pool.release(await pool.acquire())

    with_pool(settings, use)


def test_a_caller_cancelled_at_the_moment_of_being_served_takes_no_slot(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        lent = await pool.acquire()
        waiting = asyncio.create_task(pool.acquire())
        await asyncio.sleep(0)
        pool.release(lent)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        pool.release(await asyncio.wait_for(pool.acquire(), 5))

    with_pool(settings, use)


def test_waiting_callers_are_served_in_order(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        served: list[int] = []

        async def borrow(number: int) -> None:
            connection = await pool.acquire()
            served.append(number)
            await asyncio.sleep(0)
            pool.release(connection)

        await asyncio.gather(*(borrow(number) for number in range(20)))
        assert served == list(range(20))

    with_pool(settings, use)


def test_accounts_take_turns(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        served: list[int] = []

        async def borrow(account_id: int) -> None:
            connection = await pool.acquire(account_id)
            served.append(account_id)
            await asyncio.sleep(0)
            pool.release(connection)

        await asyncio.gather(*(borrow(account_id) for account_id in (1, 1, 1, 1, 2, 2, 3)))
        assert served == [1, 1, 2, 3, 1, 2, 1]

    with_pool(settings, use)


def test_an_account_cannot_hold_all_connections(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        held = [await pool.acquire(1) for _ in range(3)]
        waiting = asyncio.create_task(pool.acquire(1))
        other = await asyncio.wait_for(pool.acquire(2), 5)
        assert not waiting.done()
        pool.release(held.pop())
        for connection in (*held, other, await waiting):
            pool.release(connection)

    with_pool(settings, use, size=4)


def test_a_connection_that_cannot_be_opened_takes_no_slot(settings: Settings) -> None:
    async def use() -> None:
        pool = Pool({**locate_database(settings).as_application("test pool"), "database": "there_is_none"}, size=1)
        for _ in range(3):
            with pytest.raises(asyncpg.InvalidCatalogNameError):
                await pool.acquire()
        await pool.close()

    asyncio.run(use())


def test_a_caller_waits_for_a_released_connection_while_the_server_has_none_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(pool: Pool) -> None:
        lent = await pool.acquire()
        monkeypatch.setattr(pools, "connect", refuse_connection)
        waiting = asyncio.create_task(pool.acquire())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        pool.release(lent)
        assert await waiting is lent
        pool.release(lent)

    with_pool(settings, use, size=2)


def test_a_caller_fails_if_the_server_has_no_connection_left_for_long(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "WAIT_S", 0.05)
    monkeypatch.setattr(pools, "connect", refuse_connection)

    async def use(pool: Pool) -> None:
        for _ in range(2):
            with pytest.raises(asyncpg.TooManyConnectionsError):
                await pool.acquire()

    with_pool(settings, use)


async def refuse_connection(*_: Any, **__: Any) -> Any:
    raise asyncpg.TooManyConnectionsError


def test_discarded_connections_are_not_used_again(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        lent, idle = await pool.acquire(), await pool.acquire()
        pool.release(idle)
        pool.discard_connections()
        assert idle.is_closed()
        assert await process_id(lent)
        pool.release(lent)
        assert lent.is_closed()
        pool.release(await pool.acquire())

    with_pool(settings, use, size=2)


def test_a_connection_in_the_middle_of_a_transaction_is_not_handed_on(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        broken = await pool.acquire()
        pid = await process_id(broken)
        await broken.execute("BEGIN")
        pool.release(broken)
        fresh = await pool.acquire()
        assert await process_id(fresh) != pid
        pool.release(fresh)

    with_pool(settings, use)


def test_a_statement_that_takes_too_long_is_cancelled(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "STATEMENT_TIMEOUT_S", 0.5)

    async def use(pool: Pool) -> None:
        slow = await pool.acquire()
        with pytest.raises(TimeoutError):
            await slow.execute("BEGIN; SELECT pg_sleep(30)")
        slow.terminate()
        pool.release(slow)
        fresh = await pool.acquire()
        assert await fresh.fetchval("SELECT 1") == 1
        pool.release(fresh)

    with_pool(settings, use)


def test_a_lost_connection_is_replaced(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        lost = await pool.acquire()
        pool.release(lost)
        lost.terminate()
        fresh = await pool.acquire()
        assert await fresh.fetchval("SELECT 1") == 1
        pool.release(fresh)

    with_pool(settings, use)


def test_an_old_idle_connection_is_replaced(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MAX_IDLE_S", -1.0)

    async def use(pool: Pool) -> None:
        old = await pool.acquire()
        pid = await process_id(old)
        pool.release(old)
        fresh = await pool.acquire()
        assert await process_id(fresh) != pid
        pool.release(fresh)

    with_pool(settings, use)


def test_many_concurrent_reads_share_the_connections(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        async def read() -> None:
            connection = await pool.acquire()
            seen.add(await process_id(connection))
            pool.release(connection)

        seen: set[int] = set()
        await asyncio.gather(*(read() for _ in range(200)))
        assert len(seen) <= 4

    with_pool(settings, use, size=4)


def test_closing_waits_for_connections_in_use(settings: Settings) -> None:
    async def use() -> None:
        pool = Pool(locate_database(settings).as_application("test pool"), size=2)
        lent = await pool.acquire()
        closing = asyncio.create_task(pool.close())
        await asyncio.sleep(0.05)
        assert not closing.done()
        pool.release(lent)
        await asyncio.wait_for(closing, 5)
        assert lent.is_closed()

    asyncio.run(use())
