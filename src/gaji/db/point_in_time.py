"""Point-in-time recovery of the embedded server: base backups, and restores from them and the archived log."""

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.db.archive import BackupError
from gaji.db.database import SCHEMA
from gaji.db.embedded import SUPERUSER, EmbeddedServer, EmbeddedServerError
from gaji.db.embedded.folders import prepare_data_folder, private_folder, sync_folder
from gaji.db.embedded.system_user import SystemUser, server_user
from gaji.db.embedded.wal_archive import BaseBackup, WalArchive

CONNECT_TIMEOUT_S = 30


def parse_moment(text: str) -> datetime:
    """Return the moment of a text with a date, a time and an offset. Raises BackupError.

    >>> parse_moment("2026-11-16T09:30+08:00").isoformat()
    '2026-11-16T09:30:00+08:00'
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise BackupError(f"{text!r} is not a time with an offset, such as 2026-11-16T09:30+08:00")
    return moment


def make_base_backup(settings: Settings, keep: int) -> BaseBackup:
    """Copy the cluster into the archive while it runs. Delete all but the latest base backups, with their log."""
    archive = _archive(settings)
    with EmbeddedServer(settings.data, archive=archive) as server:
        if not asyncio.run(_is_archiving(server)):
            raise BackupError("the database was started without GAJI_WAL_ARCHIVE; stop all servers and workers first")
        unfinished = archive.new_base_backup()
        server.run_program("pg_basebackup", "-D", unfinished, "-X", "stream", "--checkpoint=fast", logs_in=True)
        base_backup = archive.keep_base_backup(unfinished)
        _delete_old(server, archive, keep)
    return base_backup


def restore_to(settings: Settings, moment: datetime) -> datetime | None:
    """Restore the state of a moment into a data folder without a database.

    Return the time of the last change in it. If the moment cannot be reached, nothing is left behind.
    """
    archive, cluster, user = _archive(settings), settings.data / "postgres", server_user()
    if cluster.exists():
        raise BackupError(f"{cluster} exists; stop Gaji, and move that folder away")
    base_backup = _latest_before(archive, moment)
    prepare_data_folder(settings.data, user)
    _copy_cluster(base_backup, cluster, user)
    try:
        with EmbeddedServer(settings.data, archive.recovery_settings(moment), archive) as server:
            return asyncio.run(_complete(server))
    except EmbeddedServerError as error:
        shutil.rmtree(cluster)
        raise BackupError(f"the archive in {archive.folder} cannot be restored to {moment}: {error}") from error


def _archive(settings: Settings) -> WalArchive:
    if settings.wal_archive is None:
        raise BackupError("GAJI_WAL_ARCHIVE is not set")
    return WalArchive(settings.wal_archive)


def _latest_before(archive: WalArchive, moment: datetime) -> BaseBackup:
    base_backups = archive.base_backups()
    if not base_backups:
        raise BackupError(f"{archive.folder} has no base backup; `gaji base-backup` makes one")
    earlier = [base_backup for base_backup in base_backups if base_backup.completed_at <= moment]
    if not earlier:
        oldest = base_backups[0].completed_at.isoformat()
        raise BackupError(f"the oldest base backup is of {oldest}, and no earlier time can be restored")
    return earlier[-1]


def _copy_cluster(base_backup: BaseBackup, cluster: Path, user: SystemUser) -> None:
    """Copy a base backup and mark the copy for recovery. It has its name only when it is complete."""
    unfinished = cluster.with_name(f"{cluster.name}.new-{secrets.token_hex(4)}")
    private_folder(unfinished, user.uid, user.gid, 0o700)
    commands = ("cp", "-a", f"{base_backup.folder}/.", unfinished), ("touch", unfinished / "recovery.signal")
    for command in commands:
        result = user.run(command)
        if result.returncode != 0:
            raise BackupError(f"{base_backup.folder} cannot be copied: {result.stderr.strip()}")
    unfinished.rename(cluster)
    sync_folder(cluster.parent)


async def _complete(server: EmbeddedServer) -> datetime | None:
    """Empty the job queue, as `gaji restore` does for other backups, and return the time of the last change."""
    async with _superuser_connection(server) as connection:
        changed_at: datetime | None = await connection.fetchval("SELECT pg_last_xact_replay_timestamp()")
        tables = await connection.fetch(
            "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables "
            "WHERE schemaname = $1 AND starts_with(tablename, 'pgqueuer')",
            SCHEMA,
        )
        if tables:
            await connection.execute(f"TRUNCATE {', '.join(table['name'] for table in tables)}")
    return changed_at


async def _is_archiving(server: EmbeddedServer) -> bool:
    async with _superuser_connection(server) as connection:
        return bool(await connection.fetchval("SHOW archive_mode") == "on")


@asynccontextmanager
async def _superuser_connection(server: EmbeddedServer) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(**server.connection(SUPERUSER), timeout=CONNECT_TIMEOUT_S)
    try:
        yield connection
    finally:
        await connection.close()


def _delete_old(server: EmbeddedServer, archive: WalArchive, keep: int) -> None:
    base_backups = archive.base_backups()
    for base_backup in base_backups[:-keep]:
        shutil.rmtree(base_backup.folder)
    first_segment = base_backups[-keep:][0].first_segment
    server.run_program("pg_archivecleanup", archive.segments, first_segment)
