"""Point-in-time recovery of the embedded server: base backups, and restores from them and the archived log."""

import asyncio
import gzip
import os
import secrets
import shutil
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, cast

import asyncpg
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.archive import BLOCK_BYTES, BackupError
from gaji.db.database import SCHEMA
from gaji.db.embedded import SUPERUSER, EmbeddedServer, EmbeddedServerError
from gaji.db.embedded.folders import prepare_data_folder, private_folder, sync_folder
from gaji.db.embedded.system_user import SystemUser, server_user
from gaji.db.embedded.wal_archive import ENCRYPTED, BaseBackup, WalArchive, first_segment
from gaji.db.encrypted_file import ChangedFile, IdentityError, WrongSecret, open_compressed, write_compressed
from gaji.db.running_database import running_database, segment_service
from gaji.db.secret_key import SecretError, known_vaults, load_vault
from gaji.db.wal_segments import COMPRESSION_LEVEL, SegmentFiles, SegmentKeys, new_file, read_file

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
    with running_database(settings) as (database, server):
        if server is None:
            raise BackupError("GAJI_WAL_ARCHIVE is for the embedded database")
        asyncio.run(_require_archiving(server, archive.archive_settings(settings.data)["archive_command"]))
        vault = asyncio.run(load_vault(database, settings))
        if vault is None:
            raise BackupError("there is nothing to back up: this database has no secret yet")
        user, unfinished = server_user(), archive.unfinished_base_backup()
        archive.delete_unfinished(settings.data)
        with new_file(unfinished, user) as file:
            segment = _copy_out(server, file, vault, settings.recipient)
        logs = settings.data / "postgres" / "pg_wal"
        _write_histories(logs, SegmentFiles(archive, user), vault, settings.recipient)
        path = unfinished.rename(archive.base_backup_path(segment))
        sync_folder(path.parent)
        _delete_old(server, archive, keep)
    return BaseBackup(path)


def restore_to(
    settings: Settings,
    moment: datetime,
    identities: Sequence[X25519PrivateKey] = (),
    *,
    allow_unencrypted: bool = False,
) -> datetime | None:
    """Restore the state of a moment into a data folder without a database.

    Return the time of the last change in it. If the moment cannot be reached, nothing is left behind.
    """
    archive, cluster, user = _archive(settings), settings.data / "postgres", server_user()
    if cluster.exists():
        raise BackupError(f"{cluster} exists; stop Gaji, and move that folder away")
    base_backup = _latest_before(archive, moment)
    if not (base_backup.is_encrypted or allow_unencrypted):
        raise BackupError(f"{base_backup.path} is not encrypted. If you trust the archive, add --allow-unencrypted")
    keys = SegmentKeys(known_vaults(settings), identities, allow_unencrypted)
    prepare_data_folder(settings.data, user)
    _copy_cluster(base_backup, cluster, user, keys)
    with segment_service(settings, keys) as service:
        try:
            with EmbeddedServer(settings.data, archive.recovery_settings(settings.data, moment), archive) as server:
                service.find_vaults()
                return asyncio.run(_complete(server))
        except (EmbeddedServerError, SecretError) as error:
            shutil.rmtree(cluster)
            reason = service.refusal or error
            raise BackupError(f"the archive in {archive.folder} cannot be restored to {moment}: {reason}") from error


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


def _copy_out(server: EmbeddedServer, file: IO[bytes], vault: Vault, recipient: X25519PublicKey | None) -> str:
    """Write an encrypted tar file of the cluster. Return the name of the first segment of the log that it needs."""
    # Without log: the server waits until the archive has all that is needed, and warns if that takes long.
    options = ["-D", "-", "-F", "tar", "-X", "none", "--no-manifest", "--checkpoint=fast"]
    options += ["-d", "dbname=postgres options='-c client_min_messages=warning'"]
    with (
        server.start_program("pg_basebackup", *options, shows_messages=True) as process,
        write_compressed(file, vault, recipient, COMPRESSION_LEVEL) as compressed,
    ):
        output = cast(IO[bytes], process.stdout)
        beginning = output.read(BLOCK_BYTES)
        compressed.write(beginning)
        shutil.copyfileobj(output, compressed, BLOCK_BYTES)
    return first_segment(beginning)  # the label is the first file


def _write_histories(log_folder: Path, files: SegmentFiles, vault: Vault, recipient: X25519PublicKey | None) -> None:
    """Archive the history files of timelines again: every recovery needs them, so they never expire.

    Otherwise a recovery would need what they were first encrypted with.
    """
    for path in sorted(log_folder.glob("*.history")):
        files.write(path.name, read_file(path), vault, recipient)
        (files.archive.segments / path.name).unlink(missing_ok=True)  # written by an earlier version


def _copy_cluster(base_backup: BaseBackup, cluster: Path, user: SystemUser, keys: SegmentKeys) -> None:
    """Copy a base backup and mark the copy for recovery. It has its name only when it is complete."""
    unfinished = cluster.with_name(f"{cluster.name}.new-{secrets.token_hex(4)}")
    private_folder(unfinished, user.uid, user.gid, 0o700)
    try:
        if base_backup.is_encrypted:
            _extract(base_backup, unfinished, user, keys)
        else:
            _run(user, "cp", "-a", f"{base_backup.path}/.", unfinished)
        _run(user, "touch", unfinished / "recovery.signal")
    except BaseException:
        shutil.rmtree(unfinished)
        raise
    unfinished.rename(cluster)
    sync_folder(cluster.parent)


def _extract(base_backup: BaseBackup, folder: Path, user: SystemUser, keys: SegmentKeys) -> None:
    path = base_backup.path
    try:
        with (
            open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file,
            open_compressed(file, keys.vaults, keys.identities) as tar,
            user.start(["tar", "-x", "-f", "-", "-C", folder]) as process,
        ):
            shutil.copyfileobj(tar, cast(IO[bytes], process.stdin), BLOCK_BYTES)
    except WrongSecret:
        raise SecretError(
            f"{path} cannot be restored: it was encrypted with another secret; restore that secret first"
        ) from None
    except IdentityError as error:
        raise BackupError(f"{path} cannot be restored: {error}") from None
    except (ChangedFile, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BackupError(f"{path} is not a valid base backup: {error}. Use another copy") from error
    except EmbeddedServerError as error:
        raise BackupError(f"{path} cannot be extracted: {error}") from error


def _run(user: SystemUser, *command: str | Path) -> None:
    result = user.run(command)
    if result.returncode != 0:
        raise BackupError(f"the base backup cannot be copied: {result.stderr.strip()}")


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


async def _require_archiving(server: EmbeddedServer, command: str) -> None:
    async with _superuser_connection(server) as connection:
        if await connection.fetchval("SHOW archive_mode") != "on":
            raise BackupError("the database was started without GAJI_WAL_ARCHIVE; stop all servers and workers first")
        if await connection.fetchval("SHOW archive_command") != command:
            raise BackupError("the database was started by another version of Gaji; restart all of Gaji first")


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
        archive.delete(base_backup)
    first_segment = base_backups[-keep:][0].first_segment
    server.run_program("pg_archivecleanup", "-x", ENCRYPTED, archive.segments, first_segment)
