"""Who is at work on this database: shown by processes that stay, asked by commands that need it for themselves."""

import asyncio
import time

import asyncpg

from gaji.core.errors import Unavailable
from gaji.db.database import Arguments
from gaji.db.migrate import LOCK

LEAVING_S = 3.0
"""A session that was just ended may be listed a moment longer."""
ASK_EVERY_S = 0.1
WAIT_S = 3.0
"""For a command that has the database for itself."""


class InUse(Exception):
    """Another process of Gaji is connected; the message says which, and what to do."""


async def appear(arguments: Arguments) -> asyncpg.Connection:
    """A session by which others see this process for as long as it is open; `arguments` name the process.

    Raises Unavailable while a command has the database for itself. One that begins later sees the session.
    """
    session = await asyncpg.connect(**arguments)
    try:
        await session.execute(
            f"BEGIN; SET LOCAL lock_timeout = '{WAIT_S}s'; SELECT pg_advisory_xact_lock_shared({LOCK}); COMMIT"
        )
    except asyncpg.LockNotAvailableError:
        session.terminate()
        raise Unavailable("The database is being migrated, restored or given a new secret") from None
    except BaseException:
        session.terminate()
        raise
    return session


async def refuse_while_in_use(connection: asyncpg.Connection, doing: str) -> None:
    """Refuse when another process of Gaji, a server or worker above all, has a session on this database."""
    deadline = time.monotonic() + LEAVING_S
    while others := await _others(connection):
        if time.monotonic() > deadline:
            raise InUse(
                f"{doing} needs the database for itself, and it is in use by {', '.join(others)}: stop that first"
            )
        await asyncio.sleep(ASK_EVERY_S)


async def _others(connection: asyncpg.Connection) -> list[str]:
    # The names of sessions are shown to every role; what else is known about them is not. And within a transaction
    # the list stays as it was first read, unless one asks for a fresh one.
    await connection.execute("SELECT pg_stat_clear_snapshot()")
    rows = await connection.fetch(
        "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND starts_with(application_name, 'gaji ') ORDER BY 1"
    )
    return [row["application_name"] for row in rows]
