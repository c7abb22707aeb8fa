"""The service of one process: opened when its database is there, and opened anew when its session there has ended.

The session does no work. It shows the process to the commands that need the database for themselves, from the start
and not from the first request on; and it is there before the secret is read, so that none changes that in between.
"""

import asyncio
import contextlib

import asyncpg

from gaji.core.errors import Unavailable
from gaji.core.logs import log
from gaji.core.settings import Settings
from gaji.db.database import locate
from gaji.db.pool import Pool
from gaji.db.errors import is_unreachable, out_of_reach
from gaji.db.secret_key import open_vault
from gaji.db.presence import appear
from gaji.db.tenancy import open_pool
from gaji.web.authentication import Authenticator, FindCaller
from gaji.web.rate_limit import RateLimiter
from gaji.web.dispatch import AppState

PROGRAM = "gaji serve"
TRY_EVERY_S = 0.5


class Lifespan:
    """Opens the service and keeps it open."""

    def __init__(self, settings: Settings, find_caller: FindCaller) -> None:
        self._settings = settings
        self._find_caller = find_caller
        self._database = locate(settings)
        self._arguments = self._database.as_application(PROGRAM)
        self._limiter = RateLimiter(settings.rate_limit)
        self._service: AppState | None = None
        self._session: asyncpg.Connection | None = None
        self._session_ended = asyncio.Event()

    def state(self) -> AppState:
        """The service; raises Unavailable as long as it could not be opened."""
        if self._service is None:
            raise out_of_reach()
        return self._service

    async def startup(self) -> None:
        """Open the service; where the database is away, go on trying in the background.

        A process that ended instead would be started again and end again, and the server gives up on such a process.
        """
        self._pool: Pool = await open_pool(self._arguments)
        try:
            await self._open()
        except Exception as error:
            if not _passes(error):
                raise
            self._session_ended.set()
        self._keeping = asyncio.create_task(self._keep_open())

    async def shutdown(self) -> None:
        """Let what was begun be finished, and leave the database."""
        self._keeping.cancel()
        await self._pool.close()
        if self._session is not None:
            with contextlib.suppress(Exception):
                await self._session.close(timeout=1)

    async def _open(self) -> None:
        self._session_ended.clear()
        session = await appear(self._arguments)
        session.add_termination_listener(lambda _: self._session_ended.set())
        try:
            vault = await open_vault(self._database, self._settings)
        except BaseException:
            session.terminate()
            raise
        self._session = session
        self._service = AppState(self._pool, vault, Authenticator(self._pool, vault, self._find_caller), self._limiter)

    async def _keep_open(self) -> None:
        failing = ""
        while True:
            await self._session_ended.wait()
            try:
                await self._open()
                failing = ""
            except Exception as error:
                if not _passes(error):
                    self._service = None  # the secret that it knows is not that of this database any more
                if type(error).__name__ != failing:
                    failing = type(error).__name__
                    log("not ready", error=failing)
                self._session_ended.set()
                await asyncio.sleep(TRY_EVERY_S)


def _passes(error: Exception) -> bool:
    return isinstance(error, Unavailable) or is_unreachable(error)
