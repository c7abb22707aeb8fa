"""Backups: every row in one file, and a new database filled from it.

The rows travel as PostgreSQL's own text form, table by table, so a backup goes from any version of PostgreSQL that Gaji
runs on to any other, and needs nobody but the owner of the tables. Left out are the job queue's own tables, which are
made anew and empty, and the secret: a backup in the wrong hands shows no identifier, and one without its secret is
refused before anything is touched.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import IO

import asyncpg

from gaji import __version__
from gaji.core.settings import Settings
from gaji.db import archive
from gaji.db import schema
from gaji.db.archive import BackupError, Manifest, TableRows, TableWriter, Writer
from gaji.db.schema import Table, identifier
from gaji.db.database import APPLICATION, SCHEMA, Database, running
from gaji.db.embedded.folders import sync_folder
from gaji.db.migrate import LOCK, migrate, newest, version
from gaji.db.secret_key import SecretError, fitting_vault
from gaji.db.presence import refuse_while_in_use

# One text form of every value, whatever the server, the database or the role prefers; and no limit but patience.
_FORM = """
    SELECT set_config(name, value, true) FROM (VALUES
        ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('bytea_output', 'hex'), ('extra_float_digits', '3'),
        ('statement_timeout', '0'), ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
        ('gaji.maintenance', 'on'), ('gaji.actor', 'backup')) AS settings (name, value)
"""


def back_up(settings: Settings, path: Path) -> Manifest:
    """Write everything in the database to a new file, and say what is in it."""
    if os.path.lexists(path):
        raise BackupError(f"{path} exists; give the backup a name of its own")
    with running(settings) as (database, _):
        return asyncio.run(_back_up(database, path))


def restore(settings: Settings, path: Path) -> Manifest:
    """Fill an empty database from a backup: all of it, or nothing."""
    manifest = archive.read_manifest(path)
    if manifest.schema_version > newest():
        raise BackupError(
            f"{path} was made by Gaji {manifest.gaji_version} from a database at version {manifest.schema_version}; "
            f"this program knows only {newest()}. Upgrade the program first"
        )
    try:
        fitting_vault({"check": manifest.check}, settings)
    except SecretError as error:
        raise SecretError(f"{path} cannot be restored: {error}") from None
    archive.verify(path)
    with running(settings) as (database, _):
        asyncio.run(_restore(database, path, manifest))
    return manifest


async def _back_up(database: Database, path: Path) -> Manifest:
    async with database.owner_connection() as connection:
        if await version(connection) == 0:
            raise BackupError("there is nothing to back up: this database has not been set up yet")
        tables = await schema.tables(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            # Before the snapshot, so that no migration comes between it and the copying.
            await connection.execute(f"LOCK TABLE {_listed(tables)} IN ACCESS SHARE MODE")
            await connection.execute(_FORM)
            if await schema.tables(connection) != tables:
                raise BackupError("the database was being upgraded at this moment; try again")
            manifest = await _manifest(connection, tables)
            with _new_file(path) as file, archive.writing(file, manifest) as writer:
                await _copy_out(connection, writer, manifest)
    return manifest


async def _manifest(connection: asyncpg.Connection, tables: list[Table]) -> Manifest:
    check = await connection.fetchval("SELECT mark_sealed FROM secret_marks WHERE purpose = 'check'")
    if check is None:
        raise BackupError("there is nothing to back up: this database has no secret yet")
    counted = [
        TableRows(
            table.name, table.columns, await connection.fetchval(f"SELECT count(*) FROM {identifier(table.name)}")
        )
        for table in tables
    ]
    return Manifest(
        gaji_version=__version__,
        schema_version=await version(connection),
        made_at=datetime.now(UTC),
        check=check,
        tables=tuple(counted),
        sequences=await schema.next_values(connection),
    )


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file for its owner only, written beside the final name, so that a file of that name is always whole."""
    unfinished = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BackupError(
            f"{unfinished} exists: another backup is being written, or one was cut short. "
            "If none is running, remove that file"
        ) from None
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.absolute().parent)


async def _copy_out(connection: asyncpg.Connection, writer: Writer, manifest: Manifest) -> None:
    for table in manifest.tables:
        rows = TableWriter(writer, table.name)
        columns = ", ".join(map(identifier, table.columns))
        outcome = await connection.copy_from_query(f"SELECT {columns} FROM {identifier(table.name)}", output=rows.write)
        rows.flush()
        _check_count(table, outcome)


async def _restore(database: Database, path: Path, manifest: Manifest) -> None:
    await migrate(database, up_to=0)  # no step: the roles and the schema only, which the owner's connection needs
    async with database.owner_connection() as connection, connection.transaction():
        await _reserve(connection)
        await _refuse_accounts(connection)
        if await version(connection) > manifest.schema_version:
            await connection.execute(
                f"DROP SCHEMA {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO {APPLICATION}"
            )
    await migrate(database, up_to=manifest.schema_version)
    async with database.owner_connection() as connection:
        async with connection.transaction():
            await _reserve(connection)
            tables = await _emptied_tables(connection, manifest)
            await _load(connection, path, manifest, tables)
        await connection.execute(f"ANALYZE {_listed(tables)}")
    await migrate(database)


async def _reserve(connection: asyncpg.Connection) -> None:
    """Keep migrations and other restores out until the end of the transaction, and refuse a database in use."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
    await connection.execute(_FORM)
    await refuse_while_in_use(connection, "restoring")


async def _refuse_accounts(connection: asyncpg.Connection) -> None:
    if await version(connection) and await connection.fetchval("SELECT EXISTS (SELECT FROM accounts)"):
        raise BackupError(
            "this database has accounts already, and a backup is restored into an empty one only: "
            "set another GAJI_DATA or GAJI_DATABASE_URL, or move the old database away"
        )


async def _emptied_tables(connection: asyncpg.Connection, manifest: Manifest) -> list[Table]:
    """The tables, empty, and locked until the end of the transaction."""
    tables = await schema.tables(connection)
    if {table.name: table.columns for table in tables} != {table.name: table.columns for table in manifest.tables}:
        raise BackupError(
            f"the tables in the backup are not those of version {manifest.schema_version} as this program knows it"
        )
    await connection.execute(f"LOCK TABLE {_listed(tables)} IN ACCESS EXCLUSIVE MODE")
    await _refuse_accounts(connection)  # once more: someone may have made one in between, and now nobody can
    await connection.execute(f"TRUNCATE {_listed(tables)}")
    return tables


async def _load(connection: asyncpg.Connection, path: Path, manifest: Manifest, tables: list[Table]) -> None:
    """Fill the tables with row-level security and triggers out of the way, and put both back."""
    for table in tables:
        await _alter(connection, table, "DISABLE TRIGGER USER", "NO FORCE ROW LEVEL SECURITY")
    await _copy_in(connection, path, manifest)
    for sequence, next_value in manifest.sequences.items():
        await connection.execute(f"ALTER SEQUENCE {identifier(sequence)} RESTART WITH {next_value:d}")
    await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in tables:
        await _alter(connection, table, "ENABLE TRIGGER USER", "FORCE ROW LEVEL SECURITY")


async def _alter(connection: asyncpg.Connection, table: Table, triggers: str, security: str) -> None:
    changes = f"{triggers}, {security}" if table.forced else triggers
    await connection.execute(f"ALTER TABLE {identifier(table.name)} {changes}")


async def _copy_in(connection: asyncpg.Connection, path: Path, manifest: Manifest) -> None:
    waiting = {table.name: table for table in manifest.tables}
    for name, entries in groupby(archive.contents(path), key=lambda entry: archive.table_of(entry[0])):
        if not name:
            continue
        table = waiting.pop(name, None)
        if table is None:
            raise BackupError(f"{path} has rows of {name} that its manifest does not name")
        try:
            outcome = await connection.copy_to_table(
                name, schema_name=SCHEMA, columns=table.columns, source=_blocks(entries)
            )
        except asyncpg.PostgresError as error:
            raise BackupError(f"the rows of {name} in {path} do not fit this database: {error}") from error
        _check_count(table, outcome)
    for table in waiting.values():
        _check_count(table, "COPY 0")


async def _blocks(entries: Iterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
    for _, block in entries:
        yield block


def _check_count(table: TableRows, outcome: str) -> None:
    if outcome != f"COPY {table.rows}":
        raise BackupError(f"{table.name} should have {table.rows} rows, and the database says {outcome}")


def _listed(tables: list[Table]) -> str:
    return ", ".join(identifier(table.name) for table in tables)
