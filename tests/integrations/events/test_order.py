"""Events of an account become visible in the order of their numbers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db.database import Database
from gaji.db.installation import open_installation

RECORD = "SELECT record_events(1, 'employee.created', 'employee', '{7}')"
NO_LOCK = "CREATE OR REPLACE FUNCTION gaji.lock_events(of_account bigint) RETURNS void LANGUAGE sql AS 'SELECT'"
WAIT_S = 0.3


@pytest.fixture(scope="module")
def database(settings: Settings) -> Database:
    """A database with one client."""
    with open_installation(settings) as installation:

        async def create() -> None:
            async with installation.database.maintenance() as connection:
                await connection.execute("INSERT INTO accounts (id, name) VALUES (1, 'One')")
                await connection.execute("INSERT INTO clients (id, account_id, name) VALUES (1, 1, 'One')")

        asyncio.run(create())
        return installation.database


@asynccontextmanager
async def worker(database: Database) -> AsyncIterator[asyncpg.Connection]:
    """A connection in a transaction for the client."""
    connection = await asyncpg.connect(**database.as_application("test"))
    try:
        await connection.execute("BEGIN; SELECT work_for(1)")
        yield connection
    finally:
        await connection.close()


async def read(database: Database) -> list[int]:
    """Return the numbers of the events that are visible now."""
    async with worker(database) as connection:
        return [row["id"] for row in await connection.fetch("SELECT id FROM events ORDER BY id")]


async def commit_in_reverse(database: Database) -> tuple[list[int], list[int]]:
    """Record an event in each of two transactions, and commit the second first if it is possible.

    Returns what a reader sees when the first of them has committed, and at the end.
    """
    async with worker(database) as first, worker(database) as second:
        await first.execute(RECORD)
        recording = asyncio.create_task(second.execute(f"{RECORD}; COMMIT"))
        await asyncio.wait([recording], timeout=WAIT_S)
        if recording.done():
            seen = await read(database)
            await first.execute("COMMIT")
        else:
            await first.execute("COMMIT")
            seen = await read(database)
            await recording
        return seen, await read(database)


def test_no_event_appears_before_one_that_was_read(database: Database) -> None:
    seen, final = asyncio.run(commit_in_reverse(database))
    assert len(final) == 2
    assert seen == final[: len(seen)]


def test_without_the_lock_a_reader_would_miss_one(database: Database) -> None:
    async def race() -> tuple[list[int], list[int]]:
        async with database.owner_connection() as connection:
            await connection.execute(NO_LOCK)
        return await commit_in_reverse(database)

    seen, final = asyncio.run(race())
    assert seen != final[: len(seen)]


def test_a_transaction_cannot_record_events_of_another_client(database: Database) -> None:
    async def record() -> None:
        async with worker(database) as connection:
            await connection.execute(RECORD.replace("(1", "(2"))

    with pytest.raises(asyncpg.RaiseError, match="not in the tenancy"):
        asyncio.run(record())
