"""The table of one kind of task: run pending tasks and delete expired ones."""

import contextlib
from dataclasses import dataclass
from typing import Any

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.tasks.client_transactions import Isolation, client_transaction, list_clients, source_transaction
from gaji.tasks.pending_tasks import BeginSource, TaskKind, run_pending


@dataclass(frozen=True)
class TaskTable:
    """A kind of task, and the database functions for its table."""

    kind: TaskKind[Any]
    clients_function: str
    """Returns the clients with pending tasks."""
    cleanup_function: str
    """Deletes tasks whose retention has ended."""
    isolation: Isolation
    allows_replica: bool = False
    """Whether the tasks may read from a replica."""

    async def run_client(self, pool: Pool, vault: Vault, client_id: int) -> None:
        """Run the pending tasks of a client."""
        await run_pending(
            self.kind,
            lambda: client_transaction(pool, vault, client_id, self.isolation),
            self._begin_source(pool, vault, client_id),
            lambda: client_transaction(pool, vault, client_id),
            client_id,
        )

    def _begin_source(self, pool: Pool, vault: Vault, client_id: int) -> BeginSource:
        if self.allows_replica:
            return lambda transaction: source_transaction(pool, vault, client_id, transaction)
        return contextlib.nullcontext

    async def run_all_clients(self, pool: Pool, vault: Vault) -> None:
        """Run the pending tasks of all clients."""
        for client_id in await list_clients(pool, f"SELECT {self.clients_function}()"):
            await self.run_client(pool, vault, client_id)

    async def delete_expired(self, pool: Pool, vault: Vault) -> None:
        """Delete tasks whose retention has ended."""
        async with pooled_connection(pool) as connection:
            await connection.execute(f"SELECT {self.cleanup_function}()")
