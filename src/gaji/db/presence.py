"""Which Gaji processes use the database. Commands that need exclusive use check this first."""

import asyncio
import time
from collections.abc import Sequence

import asyncpg

from gaji.core.errors import Unavailable
from gaji.db.connect import ConnectArguments, connect
from gaji.db.migrate import LOCK
from gaji.db.rolling_upgrade import join_servers

GRACE_S = 3.0
"""A session that has just ended may still be listed for a moment."""
POLL_S = 0.1
LOCK_TIMEOUT_S = 3.0
"""The time to wait for a command with exclusive use."""


class DatabaseInUse(Exception):
    """Another Gaji process uses the database. The message says which one."""


async def open_presence_session(arguments: ConnectArguments, version: int) -> asyncpg.Connection:
    """Open a session that makes this process visible to others while it is open. `arguments` name the process.

    Raises Unavailable while a command has exclusive use, and OlderVersion if servers of this version must not run. A
    command that begins later sees the session.
    """
    session = await connect(arguments)
    try:
        await session.execute(
            f"BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'; SELECT pg_advisory_xact_lock_shared({LOCK}); COMMIT"
        )
        await join_servers(session, version)
    except asyncpg.LockNotAvailableError:
        session.terminate()
        raise Unavailable("The database is being migrated or restored, or its secret is being changed") from None
    except BaseException:
        session.terminate()
        raise
    return session


async def require_exclusive_use(connection: asyncpg.Connection, activity: str, ignore: Sequence[str] = ()) -> None:
    """Raise DatabaseInUse if another Gaji process, such as a server or worker, has a session on this database.

    `ignore` names programs that may use it, for example commands that wait for this one.
    """
    deadline = time.monotonic() + GRACE_S
    while others := [name for name in await _other_programs(connection) if name not in ignore]:
        if time.monotonic() > deadline:
            raise DatabaseInUse(
                f"{activity} needs exclusive use of the database; it is in use by {', '.join(others)}: stop that first"
            )
        await asyncio.sleep(POLL_S)


async def _other_programs(connection: asyncpg.Connection) -> list[str]:
    # Every role may see the names of sessions. Within a transaction the list is cached until it is cleared.
    await connection.execute("SELECT pg_stat_clear_snapshot()")
    rows = await connection.fetch(
        "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND starts_with(application_name, 'gaji ') ORDER BY 1"
    )
    return [row["application_name"] for row in rows]
