"""Connections to share, each lent to one transaction at a time.

Small reads are most of what a server does, and asyncpg's own pool takes a task, two timers and a proxy to lend a
connection: as much as the query itself. This one does what is needed here.
"""

import asyncio
import contextlib
import time
from collections import deque

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
        self._free = size
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle: list[tuple[asyncpg.Connection, float]] = []  # last in, first out: the rest can age

    async def acquire(self) -> asyncpg.Connection:
        """A connection with nothing going on; raises TimeoutError, and whatever connecting raises."""
        if self._free:
            self._free -= 1
        else:
            async with asyncio.timeout(WAIT_S):
                await self._place()
        oldest = time.monotonic() - KEPT_IDLE_S
        while self._idle:
            connection, since = self._idle.pop()
            if since >= oldest and not connection.is_closed():
                return connection
            connection.terminate()
        try:
            return await asyncpg.connect(**self._arguments, command_timeout=ANSWER_WITHIN_S)
        except BaseException:
            self._pass_place_on()
            raise

    def release(self, connection: asyncpg.Connection) -> None:
        """Take a connection back; one that is in the middle of something is ended."""
        if connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
        else:
            self._idle.append((connection, time.monotonic()))
        self._pass_place_on()

    async def close(self) -> None:
        """Wait for what is lent and close everything."""
        lent, self._free = self._size - self._free, 0
        for _ in range(lent):
            await self._place()
        while self._idle:
            connection, _ = self._idle.pop()
            with contextlib.suppress(Exception):
                await connection.close(timeout=1)

    async def _place(self) -> None:
        """Wait for a place that someone passes on."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it came in the same moment
                self._pass_place_on()
            raise

    def _pass_place_on(self) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
