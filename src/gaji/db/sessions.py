"""Who else is at work on this database: asked by the commands that need it for themselves."""

import asyncio
import time

import asyncpg

LEAVING_S = 3.0
"""A session that was just ended may be listed a moment longer."""
ASK_EVERY_S = 0.1


class InUse(Exception):
    """Another process of Gaji is connected; the message says which, and what to do."""


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
