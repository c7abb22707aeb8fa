"""Database migrations: numbered .sql files, applied in order, forward only, by one process at a time."""

import hashlib
import re
from dataclasses import dataclass
from importlib import resources

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.db.connect import connect
from gaji.db.database import APPLICATION, OWNER, SCHEMA, Database

LOCK = 0x67616A69
"""The advisory lock of migrations, restores and rotations, so that only one of them runs at a time."""


class MigrationError(Exception):
    """The database cannot be migrated. The message says why."""


@dataclass(frozen=True)
class Migration:
    """One migration: its number, name and statements."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of the statements. It is recorded when the migration is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations() -> list[Migration]:
    """Return all migrations in order."""
    migrations = []
    for file in resources.files("gaji.db").joinpath("migrations").iterdir():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            migrations.append(Migration(int(match[1]), match[2], file.read_text()))
    migrations.sort(key=lambda migration: migration.number)
    numbers = [migration.number for migration in migrations]
    if numbers != list(range(1, len(migrations) + 1)):
        raise MigrationError(f"the migrations are not numbered 1 to {len(migrations)}: {numbers}")
    return migrations


def latest_version() -> int:
    """Return the number of the last migration."""
    return len(load_migrations())


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
        check_not_newer(version)
        if version < latest_version():
            raise MigrationError(f"the database is at version {version}, this program needs {latest_version()}")
        await require_unchanged_migrations(connection)
        return version


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
        if applied.get(migration.number, migration.checksum) != migration.checksum
    ]


async def require_unchanged_migrations(connection: asyncpg.Connection) -> None:
    """Raise MigrationError if a migration was applied in another form."""
    if changed := await changed_migrations(connection):
        names = ", ".join(f"{migration.number:04d}_{migration.name}" for migration in changed)
        raise MigrationError(
            f"the database was migrated by a program whose migrations differ from those of this one: {names}. "
            "Install the program that migrated it, or restore a backup"
        )


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
    applied = [migration for migration in load_migrations() if current < migration.number <= target]
    for migration in applied:
        async with connection.transaction():
            await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
                migration.number,
                migration.name,
                migration.checksum,
            )
    await _ensure_queue(connection)
    await _adopt_last_changes(connection)
    return applied


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
