"""Rows a chunk at a time: what a query finds need never be in memory whole."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg

from gaji.db.tenancy import Transaction


async def chunks(tx: Transaction, size: int, query: str, *arguments: Any) -> AsyncIterator[list[asyncpg.Record]]:
    """The rows that a query finds, so many at a time; the transaction goes on until the last is read."""
    cursor = await tx.connection.cursor(query, *arguments)
    while rows := await cursor.fetch(size):
        yield rows
