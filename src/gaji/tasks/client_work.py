"""Work for one client apart from any request: nobody's user, but in a tenancy all the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, Transaction, acquire

WORKER = Caller(user_id=0, account_id=0, access_version=0, administrator=False)


Isolation = Literal["read_committed", "repeatable_read"]


@asynccontextmanager
async def client_transaction(
    pool: Pool, vault: Vault, client_id: int, isolation: Isolation = "read_committed"
) -> AsyncIterator[Transaction]:
    """A transaction that sees the records of one client; a repeatable read sees them all in one state."""
    connection = await acquire(pool)
    try:
        async with connection.transaction(isolation=isolation):
            await connection.execute("SELECT work_for($1)", client_id)
            tx = Transaction(connection, WORKER, vault)
            yield tx
            await tx.dispatch_events()
    finally:
        pool.release(connection)


async def clients_that(pool: Pool, query: str, *arguments: object) -> list[int]:
    """The clients that a function of the database gives to workers."""
    connection = await acquire(pool)
    try:
        return [row[0] for row in await connection.fetch(query, *arguments)]
    finally:
        pool.release(connection)
