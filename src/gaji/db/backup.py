"""Backup of all rows to one file, and restore into an empty database.

Rows are stored in PostgreSQL's text format, table by table, so a backup can be restored to any supported version of
PostgreSQL, and only the owner of the tables is needed. The tables of the job queue are left out and created empty. The
file is encrypted with a key derived from the secret, which it does not contain, and from the key of a recipient if one
is set. A restore without the secret or the recipient's identity, or of a file that was changed, fails before it changes
anything.
"""

import asyncio
import fcntl
import os
import select
import shlex
import signal
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import IO, cast

import asyncpg
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji import __version__
from gaji.core.settings import SECRET_VARIABLES, Settings
from gaji.core.system_rights import as_starter, starter_identity
from gaji.core.vault import Vault
from gaji.db import archive, schema
from gaji.db.archive import ArchiveWriter, BackupError, BackupFile, Manifest, TableRows, TableWriter
from gaji.db.database import APPLICATION, SCHEMA, Database
from gaji.db.embedded.folders import sync_folder
from gaji.db.encrypted_file import IdentityError, WrongSecret, is_encrypted
from gaji.db.migrate import LOCK, database_version, migrate
from gaji.db.migration_files import latest_version
from gaji.db.presence import require_exclusive_use
from gaji.db.running_database import running_database
from gaji.db.schema import DatabaseTable, quote_identifier
from gaji.db.secret_key import KEY_FILE, SecretError, configured_vaults, matching_vault

_READ_CHECK_MS = 20
"""Interval at which a pipe is checked for what its reader has not read yet."""

# A fixed text format, whatever the server, database or role has set, and no time limits.
_SETTINGS = """
    SELECT set_config(name, value, true) FROM (VALUES
        ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('bytea_output', 'hex'), ('extra_float_digits', '3'),
        ('statement_timeout', '0'), ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
        ('gaji.maintenance', 'on'), ('gaji.actor', 'backup')) AS settings (name, value)
"""

_RECORD_BACKUP = """
    INSERT INTO last_backup (completed_at) VALUES (clock_timestamp())
    ON CONFLICT (is_only_row) DO UPDATE SET completed_at = excluded.completed_at
"""
"""For monitoring. A backup of a standby, or of a database that is not migrated yet, is not recorded."""


PART = ".part"
"""The end of the name of a file that is not complete."""
END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ReportProgress = Callable[[int, int], None]
"""Called with the number of rows copied and the total."""


def _report_nothing(copied: int, total: int) -> None:
    pass


def back_up(
    settings: Settings,
    path: Path,
    report: ReportProgress = _report_nothing,
    recipient: X25519PublicKey | None = None,
) -> Manifest:
    """Write all rows to a new file, by default for the recipient in the settings. Return its manifest."""
    with as_starter():
        exists = os.path.lexists(path)
    if exists:
        raise BackupError(f"{path} already exists; choose another file name")
    return _run_backup(settings, _new_file(path), report, recipient)


def back_up_to_stream(
    settings: Settings,
    stream: IO[bytes],
    report: ReportProgress = _report_nothing,
    recipient: X25519PublicKey | None = None,
) -> Manifest:
    """Write all rows to an open stream, such as standard output. Return the manifest."""
    return _run_backup(settings, _flushed(stream), report, recipient)


def back_up_to_command(
    settings: Settings,
    command: str,
    report: ReportProgress = _report_nothing,
    recipient: X25519PublicKey | None = None,
) -> Manifest:
    """Write all rows to the standard input of a command, which is run without a shell. Return the manifest."""
    return _run_backup(settings, _command_input(command), report, recipient)


def _run_backup(
    settings: Settings,
    target: AbstractContextManager[IO[bytes]],
    report: ReportProgress,
    recipient: X25519PublicKey | None,
) -> Manifest:
    # Not through the settings: they also have the recipient of the archived log.
    recipient = recipient or settings.recipient
    with running_database(settings) as (database, _):
        return asyncio.run(_back_up(database, settings, target, report, recipient))


def restore(settings: Settings, path: Path, identities: Sequence[X25519PrivateKey] = ()) -> Manifest:
    """Restore a backup into an empty database, completely or not at all. One for a recipient needs its identity."""
    file = BackupFile(path, _vaults_for(path, settings), identities)
    try:
        manifest = archive.read_manifest(file)
    except WrongSecret:
        raise SecretError(
            f"{path} cannot be restored: it was made with another secret, so the secret does not match. "
            f"Restore the right one as {settings.data / KEY_FILE} or in GAJI_SECRET_KEY"
        ) from None
    except IdentityError as error:
        raise BackupError(f"{path} cannot be restored: {error}") from None
    if manifest.schema_version > latest_version():
        raise BackupError(
            f"{path} was made by Gaji {manifest.gaji_version} from a database at version {manifest.schema_version}; "
            f"this program supports up to {latest_version()}. Upgrade the program first"
        )
    try:
        matching_vault({"check": manifest.check}, settings)
    except SecretError as error:
        raise SecretError(f"{path} cannot be restored: {error}") from None
    archive.verify(file)
    with running_database(settings) as (database, _):
        asyncio.run(_restore(database, file, manifest))
    return manifest


def _vaults_for(path: Path, settings: Settings) -> list[Vault]:
    """Return the vaults that may decrypt a file. Files of format 1 need none."""
    if not is_encrypted(path):
        return []
    try:
        return configured_vaults(settings)
    except SecretError as error:
        raise SecretError(f"{path} cannot be restored: {error}") from None


async def _back_up(
    database: Database,
    settings: Settings,
    target: AbstractContextManager[IO[bytes]],
    report: ReportProgress,
    recipient: X25519PublicKey | None,
) -> Manifest:
    async with database.owner_connection() as connection:
        if await database_version(connection) == 0:
            raise BackupError("there is nothing to back up: this database has not been initialised yet")
        tables = await schema.load_tables(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            # Lock before the snapshot is taken, so that no migration runs between it and the copy.
            await connection.execute(f"LOCK TABLE {_quoted_names(tables)} IN ACCESS SHARE MODE")
            await connection.execute(_SETTINGS)
            if await schema.load_tables(connection) != tables:
                raise BackupError("the database was being migrated; try again")
            manifest = await _manifest(connection, tables)
            vault = matching_vault({"check": manifest.check}, settings)
            with target as file, archive.open_archive(file, manifest, vault, recipient) as writer:
                await _copy_out(connection, writer, manifest, report)
        with suppress(asyncpg.ReadOnlySQLTransactionError, asyncpg.UndefinedTableError, asyncpg.DiskFullError):
            await connection.execute(_RECORD_BACKUP)
    return manifest


async def _manifest(connection: asyncpg.Connection, tables: list[DatabaseTable]) -> Manifest:
    check = await connection.fetchval("SELECT mark_sealed FROM secret_marks WHERE purpose = 'check'")
    if check is None:
        raise BackupError("there is nothing to back up: this database has no secret yet")
    table_rows = [
        TableRows(
            table.name, table.columns, await connection.fetchval(f"SELECT count(*) FROM {quote_identifier(table.name)}")
        )
        for table in tables
    ]
    return Manifest(
        gaji_version=__version__,
        schema_version=await database_version(connection),
        made_at=datetime.now(UTC),
        check=check,
        tables=tuple(table_rows),
        sequences=await schema.next_sequence_values(connection),
    )


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a private file under a temporary name, and rename it when it is complete."""
    unfinished = path.with_name(path.name + PART)
    try:
        with as_starter():
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BackupError(
            f"{unfinished} exists: another backup is running, or one was interrupted. "
            "If none is running, delete that file"
        ) from None
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        with as_starter():
            unfinished.rename(path)
    except BaseException:
        with as_starter():
            unfinished.unlink(missing_ok=True)
        raise
    with as_starter():
        sync_folder(path.absolute().parent)


@contextmanager
def _flushed(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    try:
        yield stream
        stream.flush()
    except BrokenPipeError:
        raise BackupError("the reader of the backup ended early, so the backup is not complete") from None


@contextmanager
def _command_input(command: str) -> Iterator[IO[bytes]]:
    """Start a command and yield its standard input.

    If the backup fails, the command is killed, with the programs that it started.
    """
    with _killed_on_signals(command) as process:
        stream, ended_early = cast(IO[bytes], process.stdin), False
        try:
            try:
                yield stream
                stream.flush()
                _wait_until_read(stream)
                stream.close()
            except BrokenPipeError:
                ended_early = True
            status = process.wait()
            if ended_early or status != 0:
                raise BackupError(f"the command {command!r} ended with status {status}, and the backup is not complete")
        except BaseException:
            _kill_command(process)  # before its input ends, which would look like a complete backup
            with suppress(BrokenPipeError):
                stream.close()
            process.wait()
            raise


def _wait_until_read(stream: IO[bytes]) -> None:
    """Wait until everything written to a pipe has been read, or raise `BrokenPipeError` if the reader has closed it.

    A small backup fits into the pipe, so a command that ends without reading it causes no error while writing.
    """
    poll = select.poll()
    poll.register(stream, 0)  # errors are always reported; the pipe's only one is that its reader has ended
    while True:
        reader_ended = bool(poll.poll(0))
        if _count_unread(stream) == 0:
            return
        if reader_ended:
            raise BrokenPipeError
        poll.poll(_READ_CHECK_MS)


def _count_unread(stream: IO[bytes]) -> int:
    count = fcntl.ioctl(stream, termios.FIONREAD, bytes(4))
    return int.from_bytes(count, sys.byteorder)


@contextmanager
def _killed_on_signals(command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, and kill it before a signal ends this process.

    Signals that are ignored, as by `nohup`, stay ignored. One that comes while the command is started takes effect
    afterwards.
    """
    process: subprocess.Popen[bytes] | None = None
    received: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        if process is None:
            received.append(number)
            return
        _kill_command(process)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    numbers = [number for number in END_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        process = _start_command(command)
        for number in received:
            end(number, None)
        yield process
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _kill_command(process: subprocess.Popen[bytes]) -> None:
    """Kill a command with the programs that it started."""
    with as_starter(), suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _start_command(command: str) -> subprocess.Popen[bytes]:
    """Start a command as the user who started this one, in a process group of its own and without our secrets."""
    identity = starter_identity()
    environment = {name: value for name, value in identity.environment.items() if name not in SECRET_VARIABLES}
    try:
        with as_starter():
            return subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                env=environment,
                user=identity.user,
                group=identity.group,
                extra_groups=identity.extra_groups,
                start_new_session=True,
            )
    except (OSError, ValueError, IndexError) as error:
        raise BackupError(f"the command {command!r} cannot be started: {error}") from None


async def _copy_out(
    connection: asyncpg.Connection, writer: ArchiveWriter, manifest: Manifest, report: ReportProgress
) -> None:
    copied = 0

    async def write(data: bytes) -> None:
        nonlocal copied
        await rows.write(data)
        copied += data.count(b"\n")  # rows end with one, and values contain none in the text format
        report(copied, manifest.rows)

    for table in manifest.tables:
        rows = TableWriter(writer, table.name)
        columns = ", ".join(map(quote_identifier, table.columns))
        outcome = await connection.copy_from_query(
            f"SELECT {columns} FROM {quote_identifier(table.name)}", output=write
        )
        rows.flush()
        _check_count(table, outcome)


async def _restore(database: Database, file: BackupFile, manifest: Manifest) -> None:
    await migrate(database, up_to=0)  # creates only the roles and the schema, which the owner's connection needs
    async with database.owner_connection() as connection, connection.transaction():
        await _reserve(connection)
        await _require_no_accounts(connection)
        if await database_version(connection) > manifest.schema_version:
            await connection.execute(
                f"DROP SCHEMA {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO {APPLICATION}"
            )
    await migrate(database, up_to=manifest.schema_version)
    async with database.owner_connection() as connection:
        async with connection.transaction():
            await _reserve(connection)
            tables = await _lock_and_truncate(connection, manifest)
            await _load(connection, file, manifest, tables)
        await connection.execute(f"ANALYZE {_quoted_names(tables)}")
    await migrate(database)


async def _reserve(connection: asyncpg.Connection) -> None:
    """Exclude migrations and other restores until the end of the transaction. Raises DatabaseInUse."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
    await connection.execute(_SETTINGS)
    await require_exclusive_use(connection, "restoring")


async def _require_no_accounts(connection: asyncpg.Connection) -> None:
    if await database_version(connection) and await connection.fetchval("SELECT EXISTS (SELECT FROM accounts)"):
        raise BackupError(
            "this database already has accounts, and a backup can be restored only into an empty one: "
            "set another GAJI_DATA or GAJI_DATABASE_URL, or move the old database away"
        )


async def _lock_and_truncate(connection: asyncpg.Connection, manifest: Manifest) -> list[DatabaseTable]:
    """Empty all tables and lock them until the end of the transaction."""
    tables = await schema.load_tables(connection)
    if {table.name: table.columns for table in tables} != {table.name: table.columns for table in manifest.tables}:
        raise BackupError(f"the tables in the backup differ from those of version {manifest.schema_version}")
    await connection.execute(f"LOCK TABLE {_quoted_names(tables)} IN ACCESS EXCLUSIVE MODE")
    await _require_no_accounts(connection)  # again: an account may have been created before the lock
    await connection.execute(f"TRUNCATE {_quoted_names(tables)}")
    return tables


async def _load(
    connection: asyncpg.Connection, file: BackupFile, manifest: Manifest, tables: list[DatabaseTable]
) -> None:
    """Fill the tables with row-level security and triggers disabled, and enable both again."""
    for table in tables:
        await _alter(connection, table, "DISABLE TRIGGER USER", "NO FORCE ROW LEVEL SECURITY")
    await _copy_in(connection, file, manifest)
    for sequence, next_value in manifest.sequences.items():
        await connection.execute(f"ALTER SEQUENCE {quote_identifier(sequence)} RESTART WITH {next_value:d}")
    await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in tables:
        await _alter(connection, table, "ENABLE TRIGGER USER", "FORCE ROW LEVEL SECURITY")


async def _alter(connection: asyncpg.Connection, table: DatabaseTable, triggers: str, security: str) -> None:
    changes = f"{triggers}, {security}" if table.forced else triggers
    await connection.execute(f"ALTER TABLE {quote_identifier(table.name)} {changes}")


async def _copy_in(connection: asyncpg.Connection, file: BackupFile, manifest: Manifest) -> None:
    remaining = {table.name: table for table in manifest.tables}
    for name, entries in groupby(archive.read_entries(file), key=lambda entry: archive.table_name(entry[0])):
        if not name:
            continue
        table = remaining.pop(name, None)
        if table is None:
            raise BackupError(f"{file.path} has rows of {name}, which is not in its manifest")
        try:
            outcome = await connection.copy_to_table(
                name, schema_name=SCHEMA, columns=table.columns, source=_blocks(entries)
            )
        except asyncpg.PostgresError as error:
            raise BackupError(f"the rows of {name} in {file.path} cannot be loaded: {error}") from error
        _check_count(table, outcome)
    for table in remaining.values():
        _check_count(table, "COPY 0")


async def _blocks(entries: Iterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
    for _, block in entries:
        yield block


def _check_count(table: TableRows, outcome: str) -> None:
    if outcome != f"COPY {table.rows}":
        raise BackupError(f"{table.name} should have {table.rows} rows, but the database reports {outcome}")


def _quoted_names(tables: list[DatabaseTable]) -> str:
    return ", ".join(quote_identifier(table.name) for table in tables)
