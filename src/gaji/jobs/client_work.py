"""Work for one client apart from any request: nobody's user, but in a tenancy all the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, Transaction, acquire
from gaji.vault import Vault

WORKER = Caller(user_id=0, account_id=0, access_version=0, administrator=False)


@asynccontextmanager
async def client_transaction(pool: Pool, vault: Vault, client_id: int) -> AsyncIterator[Transaction]:
    """A transaction that sees the records of one client."""
    connection = await acquire(pool)
    try:
        async with connection.transaction():
            await connection.execute("SELECT work_for($1)", client_id)
            yield Transaction(connection, WORKER, vault)
    finally:
        pool.release(connection)
