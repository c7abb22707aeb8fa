"""Reads from a replica that are as current as reads from the primary.

Before a read, the primary tells its position in the write-ahead log, and the read goes to the replica only if that has
replayed the log up to there. So a caller sees everything that was committed before its request, by whomever, and a key
that was revoked stops working at once. Nothing has to be stored when something is written.

Whatever is wrong with the replica, the primary serves the read.
"""

import asyncio
import time
from dataclasses import dataclass

import asyncpg

from gaji.core.logs import LogLevel, log
from gaji.db.connect import MonitoredConnection, UnsafeRole
from gaji.db.pool import Pool

MAX_WAIT_S = 0.1
"""The time that a read waits for a replica that is slightly behind, as every replica of a busy primary is."""
POLL_S = 0.005
TIMEOUT_S = 3.0
"""To get a connection to the replica and its position. A server that does not respond must not hold up reads."""
STATUS_TIMEOUT_S = 1.0
"""The same for monitoring."""
RETRY_S = 2.0
"""The time for which a replica that was not current is not asked again."""

DATABASE_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)

_POSITION = """
    WITH log AS (SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
                        ELSE pg_current_wal_flush_lsn() END AS lsn)
    SELECT system_identifier AS system_id, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer AS timeline, lsn
    FROM pg_control_system(), log
"""
"""Everything that a caller knows to be saved has been flushed, unless the server confirms changes earlier."""
_REPLAY = """
    SELECT system_identifier AS system_id, timeline_id AS timeline, pg_last_wal_replay_lsn() AS lsn,
           pg_is_in_recovery() AS is_standby,
           extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float AS age_s
    FROM pg_control_system(), pg_control_checkpoint()
"""
"""The timeline is the one of the last restart point, so after a failover it is right or too old, never too new."""


class ReplicaFailed(Exception):
    """The replica failed during a read. Start over on the primary."""


class UnsuitableReplica(Exception):
    """The server is not a replica of the primary. The message says why."""


@dataclass(frozen=True)
class LogPosition:
    """A position in the write-ahead log. Positions of one timeline of one system can be compared."""

    system_id: int
    timeline: int
    lsn: int


@dataclass(frozen=True)
class ReplayProgress:
    """How far a replica has replayed the log."""

    position: LogPosition
    is_standby: bool
    age_s: float | None
    """The time since the last replayed transaction was committed. None if there was none."""

    def lag_bytes(self, primary: LogPosition) -> int:
        """Return how much of the log is still to be replayed. Raises UnsuitableReplica."""
        if not self.is_standby:
            raise UnsuitableReplica("the server is a primary, not a standby")
        if self.position.system_id != primary.system_id:
            raise UnsuitableReplica("the server is a standby of another database system")
        if self.position.timeline != primary.timeline:
            raise UnsuitableReplica("the server has no restart point since the last failover")
        return max(0, primary.lsn - self.position.lsn)


@dataclass(frozen=True)
class ReplicaStatus:
    """The state of a replica, for monitoring."""

    problem: str | None = None
    """Why it cannot be used. None if it can."""
    lag_bytes: int = 0
    lag_s: float = 0.0


class Replica:
    """Decides for each read whether the replica serves it."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._problem: str | None = None
        """Why the replica was not used the last time it was asked."""
        self._retry_at = 0.0

    def is_due(self) -> bool:
        """Return whether to ask the replica. After a problem, one read at a time tries whether it is over."""
        if self._problem is None:
            return True
        if time.monotonic() < self._retry_at:
            return False
        self._retry_at = time.monotonic() + TIMEOUT_S
        return True

    async def acquire(self, account_id: int, position: LogPosition) -> MonitoredConnection | None:
        """Return a connection to the replica if it has replayed the log up to a position, or else None."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                connection = await self.pool.acquire(account_id)
                try:
                    is_current = await _wait_until_current(connection, position)
                except BaseException:
                    connection.terminate()
                    self.pool.release(connection)
                    raise
        except (*DATABASE_ERRORS, UnsafeRole, UnsuitableReplica) as error:
            self.pool.discard_connections()
            self._report(type(error).__name__)
            return None
        if not is_current:
            self.pool.release(connection)
            self._report("behind")
            return None
        self._report(None)
        return connection

    async def status(self, position: LogPosition) -> ReplicaStatus:
        """Return the state of the replica, compared with a position of the primary."""
        try:
            async with asyncio.timeout(STATUS_TIMEOUT_S):
                connection = await self.pool.acquire()
                try:
                    progress = await read_progress(connection)
                except BaseException:
                    connection.terminate()
                    raise
                finally:
                    self.pool.release(connection)
            lag_bytes = progress.lag_bytes(position)
        except (*DATABASE_ERRORS, UnsafeRole, UnsuitableReplica) as error:
            return ReplicaStatus(str(error) or type(error).__name__)
        return ReplicaStatus(None, lag_bytes, (progress.age_s or 0.0) if lag_bytes else 0.0)

    def _report(self, problem: str | None) -> None:
        """Remember the outcome, and log it if it is another one than before."""
        if problem != self._problem:
            if problem is None:
                log(LogLevel.INFO, "replica in use")
            else:
                log(LogLevel.WARNING, "replica not in use", reason=problem)
        self._problem = problem
        self._retry_at = time.monotonic() + RETRY_S


def replica_failure(error: BaseException) -> ReplicaFailed:
    """Log an error of the replica, such as a conflict of its query with the replay. Return the error to raise."""
    log(LogLevel.WARNING, "read repeated on the primary", error=type(error).__name__)
    return ReplicaFailed()


async def read_position(primary: asyncpg.Connection) -> LogPosition:
    """Return the position up to which everything that was confirmed to callers is in the log."""
    row = await primary.fetchrow(_POSITION, timeout=TIMEOUT_S)
    return LogPosition(row["system_id"], row["timeline"], row["lsn"])


async def read_progress(replica: asyncpg.Connection) -> ReplayProgress:
    """Return how far the server has replayed the log."""
    row = await replica.fetchrow(_REPLAY, timeout=TIMEOUT_S)
    position = LogPosition(row["system_id"], row["timeline"], row["lsn"] or 0)
    return ReplayProgress(position, row["is_standby"], row["age_s"])


async def _wait_until_current(connection: asyncpg.Connection, position: LogPosition) -> bool:
    """Return whether the replica reaches the position in time. Raises UnsuitableReplica."""
    deadline = time.monotonic() + MAX_WAIT_S
    while (await read_progress(connection)).lag_bytes(position):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(POLL_S)
    return True
