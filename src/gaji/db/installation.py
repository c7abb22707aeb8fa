"""An open installation: a running, migrated database and the matching secret. Every command starts here."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from gaji.core.logs import LogLevel, log, set_log_level
from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.bound_hashes import ensure_bound_hashes
from gaji.db.connect import connect
from gaji.db.database import Database
from gaji.db.embedded import EmbeddedServer
from gaji.db.errors import is_connection_error
from gaji.db.migrate import LOCK, migrate
from gaji.db.running_database import running_database
from gaji.db.secret_key import ensure_secret

RETRY_S = 1.0


@dataclass(frozen=True)
class Installation:
    """The settings, database and secret of an installation."""

    settings: Settings
    database: Database
    vault: Vault
    server: EmbeddedServer | None
    """The embedded server, if it is used."""


@contextlib.contextmanager
def open_installation(settings: Settings, *, wait: bool = False) -> Iterator[Installation]:
    """Open an installation for the duration of the block. Optionally wait for a database that is not reachable yet."""
    set_log_level(settings.log_level)
    with running_database(settings) as (database, server):
        if wait:
            asyncio.run(_wait_until_reachable(database))
        vault = asyncio.run(_prepare(database, settings))
        yield Installation(settings, database, vault, server)


async def _wait_until_reachable(database: Database) -> None:
    last_error = ""
    while True:
        try:
            connection = await connect(database.login or database.owner)
        except Exception as error:
            if not (is_connection_error(error) or isinstance(error, OSError)):
                raise
            if type(error).__name__ != last_error:
                last_error = type(error).__name__
                log(LogLevel.WARNING, "waiting for the database", error=last_error)
            await asyncio.sleep(RETRY_S)
        else:
            await connection.close()
            return


async def _prepare(database: Database, settings: Settings) -> Vault:
    await migrate(database)
    async with database.owner_connection() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        await connection.execute("LOCK TABLE secret_marks")
        vault = await ensure_secret(connection, settings)
        await ensure_bound_hashes(connection, vault)
        return vault
