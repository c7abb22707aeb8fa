"""The task queue. A task that is queued in a transaction runs after its commit, and not at all if it rolls back."""

import asyncpg
import msgspec
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.core.fair_queue import NO_OWNER
from gaji.db.tenancy import Transaction


class ClientTask(msgspec.Struct, frozen=True):
    """The payload of a queued task: the client that it is for, and the account that it counts for."""

    client_id: int
    account_id: int = NO_OWNER


async def enqueue(tx: Transaction, name: str, client_id: int) -> None:
    """Queue a task for a client of the caller's account."""
    await enqueue_on(tx.connection, name, ClientTask(client_id, tx.caller.account_id))


async def enqueue_on(connection: asyncpg.Connection, name: str, task: ClientTask) -> None:
    """Queue a task in the transaction of a connection."""
    await Queries(AsyncpgDriver(connection)).enqueue(name, msgspec.json.encode(task))
