"""Connections to share, each lent to one transaction at a time.

Small reads are most of what a server does, and asyncpg's own pool takes a task, two timers and a proxy to lend a
connection: as much as the query itself. This one does what is needed here.
"""

import asyncio
import contextlib
import time

import asyncpg

from gaji.db.database import Arguments

WAIT_S = 10.0
"""For a connection, be it a new one or one that is given back."""
ANSWER_WITHIN_S = 120.0
"""For one statement: a server that is frozen, or gone without a word, must not hold a request for ever."""
KEPT_IDLE_S = 300.0
"""An older one may have been cut off by a firewall on the way without anyone noticing."""


class Pool:
    """At most so many connections. None is made before it is needed: a process can start before its database."""

    def __init__(self, arguments: Arguments, size: int) -> None:
        self._arguments = arguments
        self._size = size
        self._places = asyncio.Semaphore(size)
        self._idle: list[tuple[asyncpg.Connection, float]] = []  # last in, first out: the rest can age

    async def acquire(self) -> asyncpg.Connection:
        """A connection with nothing going on; raises TimeoutError, and whatever connecting raises."""
        if self._places.locked():
            async with asyncio.timeout(WAIT_S):
                await self._places.acquire()
        else:
            await self._places.acquire()
        oldest = time.monotonic() - KEPT_IDLE_S
        while self._idle:
            connection, since = self._idle.pop()
            if since >= oldest and not connection.is_closed():
                return connection
            connection.terminate()
        try:
            return await asyncpg.connect(**self._arguments, command_timeout=ANSWER_WITHIN_S)
        except BaseException:
            self._places.release()
            raise

    def release(self, connection: asyncpg.Connection) -> None:
        """Take a connection back; one that is in the middle of something is ended."""
        if connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
        else:
            self._idle.append((connection, time.monotonic()))
        self._places.release()

    async def close(self) -> None:
        """Wait for what is lent and close everything."""
        for _ in range(self._size):
            await self._places.acquire()
        while self._idle:
            connection, _ = self._idle.pop()
            with contextlib.suppress(Exception):
                await connection.close(timeout=1)
