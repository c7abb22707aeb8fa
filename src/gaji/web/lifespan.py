"""Startup and shutdown of a server process.

The process keeps one database session open that does no work. It makes the process visible to commands that need
exclusive use of the database. It is opened before the secret is read, so that the secret cannot change in between.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

import asyncpg

from gaji.core.errors import Unavailable
from gaji.core.law_loader import current_law
from gaji.core.logs import LogLevel, log
from gaji.core.settings import Settings, SettingsError
from gaji.db.database import locate_database
from gaji.db.errors import database_unavailable, is_connection_error
from gaji.db.migration_files import latest_version
from gaji.db.pool import Pool
from gaji.db.presence import open_presence_session
from gaji.db.replica import DATABASE_ERRORS, ReplicaStatus, read_position
from gaji.db.rolling_upgrade import OlderVersion, require_version
from gaji.db.secret_key import open_vault
from gaji.db.tenancy import open_pool, pooled_connection
from gaji.law.parameters import InvalidParameterFile
from gaji.web.app_state import AppState
from gaji.web.authentication import Authenticator, FindCaller
from gaji.web.rate_limit import RateLimiter

Opened = TypeVar("Opened")
PROGRAM = "gaji serve"
RETRY_S = 0.5
MONITORING_TIMEOUT_S = 3.0
"""For a health check, including the wait for others."""
HEARTBEAT_S = 5.0
"""The interval at which the session of this process checks that the database responds."""
HEARTBEAT_TIMEOUT_S = 10.0
"""A server that is frozen keeps its connections open, so that only a missing response tells."""
CONNECT_TIMEOUT_S = 15.0
"""For a new connection, including hosts that do not respond. A host may freeze after it has accepted the connection."""


class Lifespan:
    """Creates the state of the application, and creates it again when the database session has ended."""

    def __init__(self, settings: Settings, find_caller: FindCaller) -> None:
        self._settings = settings
        self._find_caller = find_caller
        self._database = locate_database(settings)
        self._version = latest_version()  # now: an upgrade replaces the files under a running server
        self._is_older = False
        self._limiter = RateLimiter(settings.rate_limit)
        self._state: AppState | None = None
        self._session: asyncpg.Connection | None = None
        self._session_lock = asyncio.Lock()
        self._session_ended = asyncio.Event()

    def state(self) -> AppState:
        """Return the state. Raises Unavailable until the database has been reached, and while it is too new."""
        if self._state is None:
            raise OlderVersion if self._is_older else database_unavailable()
        return self._state

    @property
    def pool(self) -> Pool:
        """The connections of this process, also while it serves no requests."""
        return self._pool

    @contextlib.asynccontextmanager
    async def monitoring_connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Lend the session of this process, so that health checks do not wait for a connection of the pool.

        If the session has ended, a connection of the pool tells whether the database is back.
        """
        async with asyncio.timeout(MONITORING_TIMEOUT_S), self._session_lock:
            if self._session is not None and not self._session.is_closed():
                yield self._session
                return
            async with pooled_connection(self.state().pool) as connection:
                yield connection

    async def replica_status(self) -> ReplicaStatus | None:
        """Return the state of the replica, or None if there is none."""
        if (replica := self._pool.replica) is None:
            return None
        try:
            async with self.monitoring_connection() as connection:
                position = await read_position(connection)
        except DATABASE_ERRORS:
            return ReplicaStatus("the primary is unavailable or read-only")
        return await replica.status(position)

    def reconnect(self) -> None:
        """End the session of this process. A new one is opened in the background."""
        if self._session is not None:
            self._session.terminate()

    async def startup(self) -> None:
        """Create the state. If the database is unavailable, keep trying in the background.

        A process that exited instead would be restarted in a loop, until the server gives up on it.
        """
        self._preloading = asyncio.create_task(asyncio.to_thread(_preload_law))
        self._pool: Pool = await open_pool(
            self._database.for_transactions(PROGRAM),
            self._settings.connections,
            self._settings.slow_statement_ms,
            self._database.at_replica(PROGRAM),
        )
        try:
            await self._connect()
        except OlderVersion:
            await self._stop_serving()
            self._session_ended.set()
        except Exception as error:
            if not _is_temporary(error):
                raise
            self._session_ended.set()
        self._background = [asyncio.create_task(self._keep_connected()), asyncio.create_task(self._check_heartbeat())]

    async def shutdown(self) -> None:
        """Wait for running transactions, and close all connections."""
        for task in self._background:
            task.cancel()
        await self._preloading
        await self._pool.close()
        if self._session is not None:
            with contextlib.suppress(Exception):
                await self._session.close(timeout=1)

    async def _connect(self) -> None:
        self._session_ended.clear()
        self._session = None
        session = await self._open(open_presence_session(self._database.as_application(PROGRAM), self._version))
        session.add_termination_listener(lambda _: self._session_ended.set())
        try:
            self._pool.resume()
            if self._database.pooled is not None:  # The session above has checked a direct connection.
                await self._pool.check()
            vault = await self._open(open_vault(self._database, self._settings))
        except BaseException:
            session.terminate()
            raise
        self._session = session
        self._is_older = False
        self._state = AppState(self._pool, vault, Authenticator(self._pool, vault, self._find_caller), self._limiter)

    async def _open(self, opening: Awaitable[Opened]) -> Opened:
        """Return the result. If no host responds in time, running statements will not end either, and are ended."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S) as limit:
                return await opening
        except TimeoutError:
            if limit.expired():
                self._pool.terminate_connections()
            raise

    async def _check_heartbeat(self) -> None:
        """Close all connections when the database does not respond. New ones find the host that was promoted.

        If a newer version has migrated the database or is about to, complete running requests and end the session.
        """
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            session = self._session
            if session is None:
                continue
            if session.is_closed():  # asyncpg does not always call the listener
                self._session_ended.set()
                continue
            try:
                if await self._responds(session):
                    continue
            except OlderVersion:
                await self._stop_serving()
                session.terminate()
                continue
            log(LogLevel.WARNING, "database does not respond")
            self._pool.terminate_connections()
            session.terminate()

    async def _responds(self, session: asyncpg.Connection) -> bool:
        """Return whether the session gets a response. One that has been closed is replaced anyway.

        Raises OlderVersion if this process must stop.
        """
        try:
            async with asyncio.timeout(HEARTBEAT_TIMEOUT_S), self._session_lock:
                await require_version(session, self._version)
        except TimeoutError:
            return False
        except OlderVersion:
            raise
        except Exception as error:
            if not is_connection_error(error):
                log(LogLevel.ERROR, "heartbeat failed", error=type(error).__name__)
        return True

    async def _stop_serving(self) -> None:
        """Respond to requests with 503, and wait for those that are running."""
        if not self._is_older:
            log(LogLevel.WARNING, "stopped serving", reason="a newer version has migrated the database")
        self._is_older, self._state = True, None
        await self._pool.suspend(OlderVersion)

    async def _keep_connected(self) -> None:
        last_error = ""
        while True:
            await self._session_ended.wait()
            try:
                await self._connect()
                last_error = ""
            except OlderVersion:
                await self._stop_serving()
                self._session_ended.set()
                await asyncio.sleep(HEARTBEAT_S)
            except Exception as error:
                if not _is_temporary(error):
                    self._state = None  # its vault may have the wrong secret for this database
                if type(error).__name__ != last_error:
                    last_error = type(error).__name__
                    log(LogLevel.WARNING, "not ready", error=last_error)
                self._session_ended.set()
                await asyncio.sleep(RETRY_S)


def _preload_law() -> None:
    """Load the law, so that the first request does not occupy the event loop with it. Requests report errors."""
    with contextlib.suppress(InvalidParameterFile, SettingsError):
        current_law()


def _is_temporary(error: Exception) -> bool:
    return isinstance(error, Unavailable) or is_connection_error(error)
