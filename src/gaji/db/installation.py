"""An installation made ready: its database up and in shape, and its secret fitting. Every command starts here."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.database import Database, running
from gaji.db.embedded import EmbeddedServer
from gaji.db.migrate import migrate
from gaji.db.secret_key import ensure_secret


@dataclass(frozen=True)
class Installation:
    """What a command works with."""

    settings: Settings
    database: Database
    vault: Vault
    server: EmbeddedServer | None
    """The embedded server, where the database is ours to run."""


@contextlib.contextmanager
def ready(settings: Settings) -> Iterator[Installation]:
    """The installation for as long as the block lasts."""
    with running(settings) as (database, server):
        vault = asyncio.run(_prepare(database, settings))
        yield Installation(settings, database, vault, server)


async def _prepare(database: Database, settings: Settings) -> Vault:
    await migrate(database)
    async with database.owner_connection() as connection, connection.transaction():
        await connection.execute("LOCK TABLE secret_marks")
        return await ensure_secret(connection, settings)
