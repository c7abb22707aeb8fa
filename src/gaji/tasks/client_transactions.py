"""Transactions of workers: in the tenancy of one client, without a user."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

import asyncpg

from gaji.core.fair_queue import NO_OWNER
from gaji.core.metrics import record_read
from gaji.core.vault import Vault
from gaji.db.connect import MonitoredConnection
from gaji.db.pool import Pool
from gaji.db.replica import DATABASE_ERRORS, replica_failure
from gaji.db.tenancy import Caller, Transaction, find_position, pooled_connection

WORKER = Caller(user_id=0, account_id=NO_OWNER, access_version=0, administrator=False)

Isolation = Literal["read_committed", "repeatable_read"]


@asynccontextmanager
async def client_transaction(
    pool: Pool, vault: Vault, client_id: int, isolation: Isolation = "read_committed"
) -> AsyncIterator[Transaction]:
    """Begin a transaction that sees the records of one client."""
    async with pooled_connection(pool) as connection, connection.transaction(isolation=isolation):
        tx = Transaction(connection, await _begin_work(connection, client_id), vault)
        yield tx
        await tx.finish()


@asynccontextmanager
async def source_transaction(
    pool: Pool, vault: Vault, client_id: int, transaction: Transaction
) -> AsyncIterator[Transaction]:
    """Yield a transaction to read a client from: a snapshot on the replica if it is current, or else the given one.

    Raises ReplicaFailed if the replica fails during the block.
    """
    connection = await _acquire_replica(pool)
    if pool.replica is None or connection is None:
        yield transaction
        return
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield Transaction(connection, await _begin_work(connection, client_id), vault)
    except DATABASE_ERRORS as error:
        raise replica_failure(error) from error
    finally:
        pool.replica.pool.release(connection)


async def _begin_work(connection: asyncpg.Connection, client_id: int) -> Caller:
    """Let a transaction see one client. Return the worker as a caller of its account."""
    await connection.execute("SELECT work_for($1)", client_id)
    account_id = await connection.fetchval("SELECT current_account()")
    return replace(WORKER, account_id=account_id or NO_OWNER)


async def _acquire_replica(pool: Pool) -> MonitoredConnection | None:
    if (replica := pool.replica) is None:
        return None
    position = await find_position(pool, replica)
    connection = await replica.acquire(NO_OWNER, position) if position else None
    record_read("replica" if connection else "primary")
    return connection


async def list_clients(pool: Pool, query: str, *arguments: object) -> list[int]:
    """Return the client IDs that a database function for workers returns."""
    async with pooled_connection(pool) as connection:
        return [row[0] for row in await connection.fetch(query, *arguments)]
