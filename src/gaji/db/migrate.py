"""The shape of the database: numbered .sql files, applied in order, forward only, one process at a time."""

import re
from dataclasses import dataclass
from importlib import resources

import asyncpg
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from gaji.db.database import APPLICATION, OWNER, SCHEMA, Database

LOCK = 0x67616A69
"""The advisory lock that migrating, restoring and rotating hold, so that only one of them runs."""


class MigrationError(Exception):
    """The database cannot be brought to the shape this program needs; the message says why."""


@dataclass(frozen=True)
class Migration:
    """One step: its number, its name and its statements."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Every step this program knows, in order."""
    found = []
    for file in resources.files("gaji.db").joinpath("migrations").iterdir():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text()))
    found.sort(key=lambda migration: migration.number)
    numbers = [migration.number for migration in found]
    if numbers != list(range(1, len(found) + 1)):
        raise MigrationError(f"the migrations are not numbered 1 to {len(found)}: {numbers}")
    return found


def newest() -> int:
    """The number of the last step this program knows."""
    return len(migrations())


async def migrate(database: Database, up_to: int | None = None) -> list[Migration]:
    """Apply what is missing (up to one step, when restoring an older backup) and say what was applied."""
    await _ensure_roles(database)
    async with database.owner_connection() as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
        return await _apply_missing(connection, newest() if up_to is None else up_to)


async def version(connection: asyncpg.Connection) -> int:
    """The number of the last step that was applied; 0 for an empty database."""
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.schema_migrations") is None:
        return 0
    return int(await connection.fetchval("SELECT coalesce(max(number), 0) FROM schema_migrations"))


def check_not_newer(database_version: int) -> None:
    """Refuse a database that a later program has already changed."""
    if database_version > newest():
        raise MigrationError(
            f"the database is at version {database_version}, this program knows only {newest()}: "
            "it was used by a newer Gaji. Upgrade the program, or restore a backup made by this one"
        )


async def _apply_missing(connection: asyncpg.Connection, target: int) -> list[Migration]:
    if await connection.fetchval("SELECT to_regnamespace($1)", SCHEMA) is None:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO {APPLICATION}")
    current = await version(connection)
    check_not_newer(current)
    if current == 0:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());"
            f"GRANT SELECT ON schema_migrations TO {APPLICATION}"
        )
    applied = [migration for migration in migrations() if current < migration.number <= target]
    for migration in applied:
        async with connection.transaction():
            await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)",
                migration.number,
                migration.name,
            )
    await _ensure_queue(connection)
    return applied


async def _ensure_queue(connection: asyncpg.Connection) -> None:
    """The job queue's own tables, made and upgraded by its library."""
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
    """At an operator's address: the two roles, and the login's right to take them on."""
    if database.login is None:
        return
    connection = await asyncpg.connect(**database.login)
    try:
        known = await connection.fetch(
            "SELECT rolname FROM pg_roles WHERE rolname IN ($1, $2) AND pg_has_role(oid, 'MEMBER')", OWNER, APPLICATION
        )
        able = len(known) == 2 and await connection.fetchval(
            "SELECT has_database_privilege($1, current_database(), 'CREATE') OR to_regnamespace($2) IS NOT NULL",
            OWNER,
            SCHEMA,
        )
        if not able:
            await _create_roles(connection)
    finally:
        await connection.close()


async def _create_roles(connection: asyncpg.Connection) -> None:
    login, name = await connection.fetchrow("SELECT quote_ident(current_user), quote_ident(current_database())")
    statements = [
        f"GRANT {OWNER}, {APPLICATION} TO {login}",
        f"GRANT CREATE ON DATABASE {name} TO {OWNER}",
    ]
    # PostgreSQL does not let two grants on one database wait for each other: the second one fails.
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
        wanted = "; ".join([f"CREATE ROLE {OWNER}", f"CREATE ROLE {APPLICATION}", *statements])
        raise MigrationError(
            f"the login {login} may not create the roles that Gaji needs ({error}). "
            f"Ask an administrator to run: {wanted}"
        ) from error
