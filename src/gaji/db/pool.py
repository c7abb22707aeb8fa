"""A small connection pool.

Most requests are small reads, and asyncpg's own pool creates a task, two timers and a proxy for each connection that it
lends, which costs as much as the query. This pool does only what is needed here.
"""

import asyncio
import contextlib
import time
from collections import deque

import asyncpg

from gaji.db.database import ConnectArguments

WAIT_S = 10.0
"""The time to wait for a connection, new or returned."""
STATEMENT_TIMEOUT_S = 120.0
"""For one statement. A frozen or unreachable server must not block a request forever."""
MAX_IDLE_S = 300.0
"""A firewall may silently drop a connection that was idle for longer."""


class Pool:
    """A limited number of connections, opened when needed, so that a process can start before its database."""

    def __init__(self, arguments: ConnectArguments, size: int) -> None:
        self._arguments = arguments
        self._size = size
        self._free = size
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle: list[
            tuple[asyncpg.Connection, float]
        ] = []  # last in, first out, so that surplus connections expire

    async def acquire(self) -> asyncpg.Connection:
        """Return an idle connection. Raises TimeoutError, and any error of asyncpg.connect."""
        if self._free:
            self._free -= 1
        else:
            async with asyncio.timeout(WAIT_S):
                await self._wait_for_slot()
        expired_before = time.monotonic() - MAX_IDLE_S
        while self._idle:
            connection, idle_since = self._idle.pop()
            if idle_since >= expired_before and not connection.is_closed():
                return connection
            connection.terminate()
        try:
            return await asyncpg.connect(**self._arguments, command_timeout=STATEMENT_TIMEOUT_S)
        except BaseException:
            self._free_slot()
            raise

    def release(self, connection: asyncpg.Connection) -> None:
        """Return a connection to the pool. One that is still in a transaction is closed."""
        if connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
        else:
            self._idle.append((connection, time.monotonic()))
        self._free_slot()

    async def close(self) -> None:
        """Wait for connections in use, and close all."""
        lent, self._free = self._size - self._free, 0
        for _ in range(lent):
            await self._wait_for_slot()
        while self._idle:
            connection, _ = self._idle.pop()
            with contextlib.suppress(Exception):
                await connection.close(timeout=1)

    async def _wait_for_slot(self) -> None:
        slot = asyncio.get_running_loop().create_future()
        self._waiting.append(slot)
        try:
            await slot
        except asyncio.CancelledError:
            if not slot.cancelled():  # it was assigned at the same moment
                self._free_slot()
            raise

    def _free_slot(self) -> None:
        while self._waiting:
            slot = self._waiting.popleft()
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1
