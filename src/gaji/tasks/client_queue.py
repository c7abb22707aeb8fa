"""The jobs that do errands, and the sweeps that do what was left and forget what is old."""

from dataclasses import dataclass
from typing import Any

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import acquire
from gaji.tasks.client_work import Isolation, client_transaction, clients_that
from gaji.tasks.errands.doing import Errand, do_waiting


@dataclass(frozen=True)
class ErrandJob:
    """The job of one kind of errand; the functions are those of the database."""

    errand: Errand[Any]
    waiting: str
    """The function that gives the clients with errands that wait."""
    forgetting: str
    """The function that forgets those which were kept long enough."""
    isolation: Isolation

    async def do_all(self, pool: Pool, vault: Vault, client_id: int) -> None:
        """Do the errands of a client that wait."""
        await do_waiting(
            self.errand,
            lambda: client_transaction(pool, vault, client_id, self.isolation),
            lambda: client_transaction(pool, vault, client_id),
            client_id,
        )

    async def do_what_waits(self, pool: Pool, vault: Vault) -> None:
        """Do whatever waits and has been left."""
        for client_id in await clients_that(pool, f"SELECT {self.waiting}()"):
            await self.do_all(pool, vault, client_id)

    async def forget_old(self, pool: Pool, vault: Vault) -> None:
        """Forget what was kept long enough."""
        connection = await acquire(pool)
        try:
            await connection.execute(f"SELECT {self.forgetting}()")
        finally:
            pool.release(connection)

