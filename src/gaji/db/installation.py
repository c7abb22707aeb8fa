"""An open installation: a running, migrated database and the matching secret. Every command starts here."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.database import Database, running_database
from gaji.db.embedded import EmbeddedServer
from gaji.db.migrate import migrate
from gaji.db.secret_key import ensure_secret


@dataclass(frozen=True)
class Installation:
    """The settings, database and secret of an installation."""

    settings: Settings
    database: Database
    vault: Vault
    server: EmbeddedServer | None
    """The embedded server, if it is used."""


@contextlib.contextmanager
def open_installation(settings: Settings) -> Iterator[Installation]:
    """Open an installation for the duration of the block."""
    with running_database(settings) as (database, server):
        vault = asyncio.run(_prepare(database, settings))
        yield Installation(settings, database, vault, server)


async def _prepare(database: Database, settings: Settings) -> Vault:
    await migrate(database)
    async with database.owner_connection() as connection, connection.transaction():
        await connection.execute("LOCK TABLE secret_marks")
        return await ensure_secret(connection, settings)
