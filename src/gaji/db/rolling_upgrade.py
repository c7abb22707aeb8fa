"""Rolling upgrades: older servers continue on a database that a newer version has migrated, or stop in time.

Every server process and worker holds a shared lock while it uses the database. Before the first migration that older
servers cannot work with, its session announces the number with another lock, and waits until all servers have released
theirs. Servers see the announcement with their next heartbeat and end what is running. So no transaction of an
older version runs after such a migration. If the migration fails, the announcement ends with its session, and older
servers continue. The version of a process is the number of its last migration.
"""

import asyncpg

from gaji.core.errors import Unavailable
from gaji.db.migration_files import MigrationError

SERVING = 0x67616A6A
"""The advisory lock that server processes and workers share."""
ANNOUNCEMENT = 0x67616A6B
"""The first part of the advisory lock of an announcement. The second part is the number of the migration."""
STOP_TIMEOUT_S = 60
"""The time to wait until older servers have completed their requests."""
JOIN_TIMEOUT_S = 3
"""The time to wait for a migration that has announced itself."""
HIGHEST_STOP = "SELECT coalesce(max(number), 0) FROM schema_migrations WHERE stops_older_servers"

IS_OLDER = f"""
    SELECT greatest(({HIGHEST_STOP}), (
        SELECT max(objid::bigint) FROM pg_locks
        WHERE locktype = 'advisory' AND classid = {ANNOUNCEMENT} AND objsubid = 2
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))) > $1::bigint AS is_older
"""
"""Whether servers of a version must stop. They ask with each heartbeat."""


class OlderVersion(Unavailable):
    """A newer version has migrated the database, or is about to, and this one must not use it any more."""

    def __init__(self) -> None:
        super().__init__(
            "This server has an older version of Gaji than the database and no longer serves requests; "
            "use a server with the new version",
            retry_after_s=5,
        )


async def join_servers(session: asyncpg.Connection, version: int) -> None:
    """Hold the lock of servers until the session ends. Raises OlderVersion, also if a migration waits for servers."""
    try:
        await session.execute(
            f"BEGIN; SET LOCAL lock_timeout = '{JOIN_TIMEOUT_S}s'; SELECT pg_advisory_lock_shared({SERVING}); COMMIT"
        )
    except asyncpg.LockNotAvailableError:
        await session.execute("ROLLBACK")
        raise OlderVersion from None
    await require_version(session, version)


async def require_version(session: asyncpg.Connection, version: int) -> None:
    """Raise OlderVersion if servers of this version must stop."""
    if await session.fetchval(IS_OLDER, version):
        raise OlderVersion


async def stop_older_servers(connection: asyncpg.Connection, number: int) -> None:
    """Wait until all servers have stopped, and keep them from starting until the connection is closed.

    `number` is that of the last migration that they cannot work with. Raises MigrationError if some do not stop.
    """
    await connection.execute(f"SELECT pg_advisory_lock({ANNOUNCEMENT}, {number:d})")
    await connection.execute(f"SET lock_timeout = '{STOP_TIMEOUT_S}s'")
    try:
        await connection.execute(f"SELECT pg_advisory_lock({SERVING})")
    except asyncpg.LockNotAvailableError:
        raise MigrationError(
            f"servers or workers of an older version did not stop within {STOP_TIMEOUT_S} seconds, and the database "
            "was not migrated any further: stop them, or try again"
        ) from None
    finally:
        await connection.execute("RESET lock_timeout")
