"""The job queue: what is asked for in a transaction is done after it, or not at all when it fails."""

import msgspec
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.db.tenancy import Transaction


class ClientJob(msgspec.Struct, frozen=True):
    """What a job is about: the records of one client."""

    client_id: int


async def enqueue(tx: Transaction, name: str, client_id: int) -> None:
    """Ask for a job for a client."""
    await Queries(AsyncpgDriver(tx.connection)).enqueue(name, msgspec.json.encode(ClientJob(client_id)))
