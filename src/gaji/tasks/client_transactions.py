"""Transactions of workers: in the tenancy of one client, without a user."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import Caller, Transaction, pooled_connection

WORKER = Caller(user_id=0, account_id=0, access_version=0, administrator=False)

Isolation = Literal["read_committed", "repeatable_read"]


@asynccontextmanager
async def client_transaction(
    pool: Pool, vault: Vault, client_id: int, isolation: Isolation = "read_committed"
) -> AsyncIterator[Transaction]:
    """Begin a transaction that sees the records of one client."""
    async with pooled_connection(pool) as connection, connection.transaction(isolation=isolation):
        await connection.execute("SELECT work_for($1)", client_id)
        tx = Transaction(connection, WORKER, vault)
        yield tx
        await tx.finish()


async def list_clients(pool: Pool, query: str, *arguments: object) -> list[int]:
    """Return the client IDs that a database function for workers returns."""
    async with pooled_connection(pool) as connection:
        return [row[0] for row in await connection.fetch(query, *arguments)]
