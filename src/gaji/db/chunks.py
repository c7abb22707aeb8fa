"""Fetch large results in chunks, so that they need not fit in memory."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg

from gaji.db.tenancy import Transaction


async def fetch_chunks(tx: Transaction, size: int, query: str, *arguments: Any) -> AsyncIterator[list[asyncpg.Record]]:
    """Yield the rows of a query in chunks of this size. The transaction must stay open until the last one."""
    # Without a name, because PgBouncer would lend a connection that has a named statement to others.
    statement = await tx.connection.prepare(query, name="")
    cursor = await statement.cursor(*arguments)
    while rows := await cursor.fetch(size):
        yield rows
