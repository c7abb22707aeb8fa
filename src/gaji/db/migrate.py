"""Database migrations: numbered .sql files, applied in order, forward only, by one process at a time."""

import asyncio

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.db.connect import connect
from gaji.db.database import APPLICATION, OWNER, SCHEMA, Database
from gaji.db.migration_files import FIRST_MARKED, Migration, MigrationError, latest_version, load_migrations
from gaji.db.rolling_upgrade import HIGHEST_STOP, stop_older_servers

LOCK = 0x67616A69
"""The advisory lock of migrations, restores and rotations, so that only one of them runs at a time."""
TABLE_LOCK_TIMEOUT_S = 2
"""The time that a migration under running servers waits for a table. Their requests wait behind it meanwhile."""
TABLE_LOCK_RETRY_S = 0.5
MAX_TABLE_LOCK_ATTEMPTS = 60


async def migrate(database: Database, up_to: int | None = None) -> list[Migration]:
    """Apply missing migrations, optionally up to a number, and return them."""
    await _ensure_roles(database)
    async with database.owner_connection() as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
        return await _apply_missing(connection, latest_version() if up_to is None else up_to)


async def check_migrated(database: Database) -> int:
    """Return the version of the database. Raises MigrationError if it is not that of this program."""
    async with database.owner_connection() as connection:
        version = await database_version(connection)
        if version > latest_version() and await allows_older_servers(connection):
            raise MigrationError(
                f"the database is at version {version}, this program supports up to {latest_version()}: a newer "
                "version of Gaji has migrated it, and servers and workers of this one can continue to run"
            )
        check_not_newer(version)
        if version < latest_version():
            raise MigrationError(_describe_pending(version))
        await require_unchanged_migrations(connection)
        return version


def _describe_pending(version: int) -> str:
    pending = load_migrations()[version:]
    names = ", ".join(
        f"{migration.title} (older servers {'stop' if migration.stops_older_servers else 'continue'})"
        for migration in pending
    )
    if not any(migration.stops_older_servers for migration in pending):
        outcome = "Servers and workers of the older version can continue to run"
    elif version < FIRST_MARKED:
        outcome = "Stop the servers and workers of the older version before you migrate"
    else:
        outcome = "Servers and workers of the older version stop working when you migrate"
    return f"the database is at version {version}, this program needs {latest_version()}. Pending: {names}. {outcome}"


async def current_version(database: Database) -> int:
    """Return the version of the database, which can be higher than that of this program."""
    async with database.owner_connection() as connection:
        return await database_version(connection)


async def database_version(connection: asyncpg.Connection) -> int:
    """Return the number of the last applied migration, or 0 for an empty database."""
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.schema_migrations") is None:
        return 0
    return int(await connection.fetchval("SELECT coalesce(max(number), 0) FROM schema_migrations"))


async def changed_migrations(connection: asyncpg.Connection) -> list[Migration]:
    """Return the migrations that were applied in another form than this program has them."""
    if not await _has_checksums(connection):
        return []
    rows = await connection.fetch("SELECT number, checksum FROM schema_migrations WHERE checksum IS NOT NULL")
    applied = {row["number"]: row["checksum"] for row in rows}
    return [
        migration
        for migration in load_migrations()
        if not migration.is_applied_as(applied.get(migration.number, migration.checksum))
    ]


async def require_unchanged_migrations(connection: asyncpg.Connection) -> None:
    """Raise MigrationError if a migration was applied in another form."""
    if changed := await changed_migrations(connection):
        names = ", ".join(migration.title for migration in changed)
        raise MigrationError(
            f"the database was migrated by a program whose migrations differ from those of this one: {names}. "
            "Install the program that migrated it, or restore a backup"
        )


async def allows_older_servers(connection: asyncpg.Connection) -> bool:
    """Return whether this program can work with a database that a newer version has migrated."""
    return int(await connection.fetchval(HIGHEST_STOP)) <= latest_version()


def check_not_newer(database_version: int) -> None:
    """Raise MigrationError if a newer version of Gaji has migrated the database."""
    if database_version > latest_version():
        raise MigrationError(
            f"the database is at version {database_version}, this program supports up to {latest_version()}: "
            "it was used by a newer version of Gaji. Upgrade the program, or restore a backup made by this version"
        )


async def _apply_missing(connection: asyncpg.Connection, target: int) -> list[Migration]:
    if await connection.fetchval("SELECT to_regnamespace($1)", SCHEMA) is None:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO {APPLICATION}")
    current = await database_version(connection)
    if current > latest_version() and await allows_older_servers(connection):
        await require_unchanged_migrations(connection)
        return []
    check_not_newer(current)
    if current == 0:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), "
            "checksum text);"
            f"GRANT SELECT ON schema_migrations TO {APPLICATION}"
        )
    await _record_checksums(connection)
    await require_unchanged_migrations(connection)
    pending = [migration for migration in load_migrations() if current < migration.number <= target]
    stops = [migration.number for migration in pending if migration.stops_older_servers]
    for migration in pending:
        if current and stops and migration.number == stops[0]:
            await stop_older_servers(connection, stops[-1])
        await _apply(connection, migration)
    await _ensure_queue(connection)
    await _adopt_last_changes(connection)
    return pending


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    """Apply a migration. Servers may be running: they must not wait long behind a migration that waits for a table."""
    for _ in range(MAX_TABLE_LOCK_ATTEMPTS):
        try:
            async with connection.transaction():
                await connection.execute(f"SET LOCAL lock_timeout = '{TABLE_LOCK_TIMEOUT_S}s'")
                await connection.execute(migration.sql)
                await _record(connection, migration)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            await asyncio.sleep(TABLE_LOCK_RETRY_S)
        else:
            return
    raise MigrationError(
        f"the migration {migration.title} was not applied, because other transactions use its tables: "
        "try again when no long report or pay run is running"
    )


async def _record(connection: asyncpg.Connection, migration: Migration) -> None:
    values = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
    if migration.number >= FIRST_MARKED:  # which adds the column
        values["stops_older_servers"] = migration.stops_older_servers
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    await connection.execute(f"INSERT INTO schema_migrations ({', '.join(values)}) VALUES ({places})", *values.values())


async def _adopt_last_changes(connection: asyncpg.Connection) -> None:
    """Adopt the record of changes of a database that was copied from another server."""
    if await connection.fetchval("SELECT to_regproc($1)", f"{SCHEMA}.adopt_last_changes") is not None:
        async with connection.transaction():
            await connection.execute("SELECT adopt_last_changes()")


async def _record_checksums(connection: asyncpg.Connection) -> None:
    """Add the checksums to a database that was migrated before they were recorded."""
    if await _has_checksums(connection):
        return
    async with connection.transaction():
        await connection.execute("ALTER TABLE schema_migrations ADD COLUMN checksum text")
        await connection.executemany(
            "UPDATE schema_migrations SET checksum = $2 WHERE number = $1",
            [(migration.number, migration.checksum) for migration in load_migrations()],
        )


async def _has_checksums(connection: asyncpg.Connection) -> bool:
    return bool(
        await connection.fetchval(
            "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'checksum')",
            f"{SCHEMA}.schema_migrations",
        )
    )


async def _ensure_queue(connection: asyncpg.Connection) -> None:
    """Create or upgrade the tables of the job queue with its library."""
    queue = Queries(AsyncpgDriver(connection))
    if await queue.schema_is_installed():
        await queue.apply_upgrade()
    else:
        await queue.install()
    tables = await connection.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'pgqueuer%'", SCHEMA
    )
    for table in tables:
        await connection.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON {table['tablename']} TO {APPLICATION}"
        )
    await connection.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {APPLICATION}")


async def _ensure_roles(database: Database) -> None:
    """With an operator's URL, create the two roles and allow the login to assume them."""
    if database.login is None:
        return
    connection = await connect(database.login)
    try:
        granted = await connection.fetch(
            "SELECT rolname FROM pg_roles WHERE rolname IN ($1, $2) AND pg_has_role(oid, 'MEMBER')", OWNER, APPLICATION
        )
        is_ready = len(granted) == 2 and await connection.fetchval(
            "SELECT has_database_privilege($1, current_database(), 'CREATE') OR to_regnamespace($2) IS NOT NULL",
            OWNER,
            SCHEMA,
        )
        if not is_ready:
            await _create_roles(connection)
    finally:
        await connection.close()


async def _create_roles(connection: asyncpg.Connection) -> None:
    login, name = await connection.fetchrow("SELECT quote_ident(current_user), quote_ident(current_database())")
    statements = [
        f"GRANT {OWNER}, {APPLICATION} TO {login}",
        f"GRANT CREATE ON DATABASE {name} TO {OWNER}",
    ]
    # If two grants on one database run concurrently, the second one fails instead of waiting.
    await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
    try:
        for role in (OWNER, APPLICATION):
            await connection.execute(
                f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; "
                "EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$"
            )
        for statement in statements:
            await connection.execute(statement)
    except asyncpg.InsufficientPrivilegeError as error:
        required = "; ".join([f"CREATE ROLE {OWNER}", f"CREATE ROLE {APPLICATION}", *statements])
        raise MigrationError(
            f"the login {login} cannot create the roles that Gaji needs ({error}). "
            f"Ask an administrator to run: {required}"
        ) from error
