"""A small connection pool.

Most requests are small reads, and asyncpg's own pool creates a task, two timers and a proxy for each connection that it
lends, which costs as much as the query. This pool does only what is needed here. Accounts take turns when they wait for
connections, and none can hold all of them.
"""

import asyncio
import contextlib
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

import asyncpg

from gaji.core.fair_queue import NO_OWNER, FairQueue
from gaji.core.metrics import (
    record_connections,
    record_full_disk,
    record_max_connections,
    record_waiting_for_connection,
)
from gaji.db.connect import ConnectArguments, MonitoredConnection, connect
from gaji.db.slow_statements import log_slow_statements

if TYPE_CHECKING:
    from gaji.db.replica import Replica

WAIT_S = 10.0
"""The time to wait for a connection, new or returned."""
STATEMENT_TIMEOUT_S = 120.0
"""For one statement. A frozen or unreachable server must not block a request forever."""
RETRY_S = 0.1
"""The interval at which a connection is tried again while the server has none left."""
MIN_PER_ACCOUNT = 2
"""One account can use three quarters of the connections, but at least these."""
MAX_IDLE_S = 300.0
"""A firewall may silently drop a connection that was idle for longer."""


class Pool:
    """A limited number of connections, opened when needed, so that a process can start before its database."""

    replica: "Replica | None" = None
    """Serves reads that allow it, if the operator has set one up."""
    disk_was_full: bool = False
    """Whether a change failed because the disk was full, and no check has found space since."""

    def __init__(
        self, arguments: ConnectArguments, size: int, slow_statement_ms: int = 0, *, measured: bool = True
    ) -> None:
        self._arguments = arguments
        self._measured = measured
        self._slow_statement_ms = slow_statement_ms
        self._slots = FairQueue("connections", size, slots_per_owner=max(MIN_PER_ACCOUNT, size * 3 // 4))
        self._all_returned: asyncio.Event | None = None
        """Set when no connection is in use. Only while the pool is being closed or suspended."""
        self._refusal: Callable[[], Exception] | None = None
        """Creates the error for those who ask a suspended pool."""
        self._opened: weakref.WeakSet[MonitoredConnection] = weakref.WeakSet()
        # Last in, first out, so that surplus connections expire.
        self._idle: list[tuple[MonitoredConnection, float]] = []
        if measured:
            record_max_connections(size)

    def try_acquire(self, account_id: int = NO_OWNER) -> MonitoredConnection | None:
        """Return an idle connection, or None if the account has to wait for one."""
        if not self._idle or not self._slots.try_acquire(account_id):
            return None
        connection = self._take_idle()
        if connection is None:
            self._return_slot(account_id)
            return None
        return self._lend(connection, account_id)

    async def acquire(self, account_id: int = NO_OWNER) -> MonitoredConnection:
        """Return an idle or a new connection. Raises TimeoutError, and any error of `connect`."""
        if not self._slots.try_acquire(account_id):
            await self._wait_for_slot(account_id)
        try:
            connection = self._take_idle() or await self._open()
        except BaseException:
            self._return_slot(account_id)
            raise
        return self._lend(connection, account_id)

    async def _wait_for_slot(self, account_id: int) -> None:
        if self._measured:
            record_waiting_for_connection(1)
        try:
            async with asyncio.timeout(WAIT_S):
                await self._slots.acquire(account_id)
        finally:
            if self._measured:
                record_waiting_for_connection(-1)

    async def check(self) -> None:
        """Open a connection for later use. Raises the same errors as `acquire`."""
        self.release(await self.acquire())

    def release(self, connection: MonitoredConnection) -> None:
        """Return a connection to the pool. One that is still in a transaction, or discarded, is closed."""
        if connection.is_closed() or connection.is_in_transaction() or connection.discarded:
            connection.terminate()
        else:
            self._idle.append((connection, time.monotonic()))
        self._return_slot(connection.owner)

    def discard_connections(self) -> None:
        """Replace all connections. Those in use are closed when they are released."""
        for connection in self._opened:
            connection.discarded = True
        while self._idle:
            self._idle.pop()[0].terminate()

    def terminate_connections(self) -> None:
        """Close all connections at once, those in use included. Their statements fail."""
        self._idle.clear()
        for connection in list(self._opened):
            connection.terminate()

    def note_full_disk(self) -> None:
        """Remember that a change failed because the disk was full."""
        self.disk_was_full = True
        record_full_disk()

    async def suspend(self, refusal: Callable[[], Exception]) -> None:
        """Lend no more connections, wait for those in use, and close all, those to the replica included."""
        self._refusal = refusal
        self.discard_connections()
        if self.replica is not None:
            await self.replica.pool.suspend(refusal)
        await self._wait_until_returned()

    def resume(self) -> None:
        """Lend connections again."""
        self._refusal = None
        if self.replica is not None:
            self.replica.pool.resume()

    async def close(self) -> None:
        """Wait for connections in use, and close all, those to the replica included."""
        if self.replica is not None:
            await self.replica.pool.close()
        await self._wait_until_returned()
        while self._idle:
            connection, _ = self._idle.pop()
            with contextlib.suppress(Exception):
                await connection.close(timeout=1)

    async def _wait_until_returned(self) -> None:
        if self._slots.in_use:
            self._all_returned = self._all_returned or asyncio.Event()
            await self._all_returned.wait()
            self._all_returned = None

    def _lend(self, connection: MonitoredConnection, account_id: int) -> MonitoredConnection:
        connection.owner = account_id
        if self._measured:
            record_connections(self._slots.in_use)
        return connection

    def _take_idle(self) -> MonitoredConnection | None:
        expired_before = time.monotonic() - MAX_IDLE_S
        while self._idle:
            connection, idle_since = self._idle.pop()
            if idle_since >= expired_before and not connection.is_closed():
                return connection
            connection.terminate()
        return None

    async def _open(self) -> MonitoredConnection:
        """Open a connection. While the server has none left, wait for one that is released here."""
        deadline = time.monotonic() + WAIT_S
        while True:
            if self._refusal is not None:
                raise self._refusal()
            try:
                connection = await connect(self._arguments, command_timeout=STATEMENT_TIMEOUT_S)
            except asyncpg.TooManyConnectionsError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(RETRY_S)
                if released := self._take_idle():
                    return released
            else:
                if self._slow_statement_ms:
                    log_slow_statements(connection, self._slow_statement_ms)
                self._opened.add(connection)
                connection.discarded = self._refusal is not None  # suspended meanwhile
                return connection

    def _return_slot(self, account_id: int) -> None:
        self._slots.release(account_id)
        if self._measured:
            record_connections(self._slots.in_use)
        if self._all_returned is not None and not self._slots.in_use:
            self._all_returned.set()
