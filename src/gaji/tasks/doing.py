"""Doing jobs: each apart from the others, so that one that fails or must stop leaves the others alone."""

import asyncio
import traceback
from collections.abc import Awaitable

from gaji.core.logs import log
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.errors import is_unreachable
from gaji.tasks.registry import TaskRegistry


class Doer:
    """Does jobs until it is stopped."""

    def __init__(self, pool: Pool, vault: Vault, registry: TaskRegistry) -> None:
        self._pool = pool
        self._vault = vault
        self._registry = registry
        self._doing: set[asyncio.Task[None]] = set()

    async def do(self, name: str, client_id: int) -> None:
        """Do a job for a client. What it leaves undone when it fails, a sweep will find."""
        await self._apart(name, self._registry.tasks[name](self._pool, self._vault, client_id))

    async def sweep(self, name: str) -> None:
        """Do what is to be done for any client."""
        await self._apart(name, self._registry.sweeps[name].run(self._pool, self._vault))

    async def sweep_all(self) -> None:
        """Do all that is to be done."""
        await asyncio.gather(*(self.sweep(name) for name in self._registry.sweeps))

    async def stop(self) -> None:
        """End what is being done; what a transaction has not saved yet is done again another time."""
        doing = list(self._doing)
        for task in doing:
            task.cancel()
        await asyncio.gather(*doing, return_exceptions=True)

    async def _apart(self, name: str, work: Awaitable[None]) -> None:
        task = asyncio.create_task(_logged(name, work))
        self._doing.add(task)
        try:
            await task
        finally:
            self._doing.discard(task)


async def _logged(name: str, work: Awaitable[None]) -> None:
    """Do some work and log its failure, as that of a request: without the text, which can quote a person's data."""
    try:
        await work
    except Exception as error:
        cause = error.__cause__ or error
        places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(cause.__traceback__)[-6:]]
        event = "job interrupted" if is_unreachable(cause) else "job failed"
        log(event, job=name, error=type(cause).__name__, places=places)
