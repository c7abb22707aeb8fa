"""Point-in-time recovery of the embedded server, from base backups and its archived log."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gaji.cli.doctor import Finding, check_wal_archive
from gaji.core.recipients import recipient_text
from gaji.core.settings import Settings, SettingsError
from gaji.core.vault import Vault
from gaji.db.archive import BackupError, BackupFile, verify
from gaji.db.backup import back_up
from gaji.db.database import Database
from gaji.db.embedded import SUPERUSER, EmbeddedServer, EmbeddedServerError
from gaji.db.embedded.folders import private_folder
from gaji.db.embedded.system_user import server_user
from gaji.db.embedded.wal_archive import WalArchive
from gaji.db.installation import open_installation
from gaji.db.point_in_time import _extract, make_base_backup, parse_moment, restore_to
from gaji.db.running_database import running_database
from gaji.db.secret_key import SecretError, ensure_secret
from gaji.db.wal_segments import SegmentError, SegmentFiles, SegmentKeys
from tests.db.embedded.commands import fetch
from tests.db.embedded.conftest import make_base_folder, remove_folder
from tests.support.preloaded import run_gaji
from tests.support.running import SECRET

CREATE_QUEUE = (
    "CREATE TABLE gaji.pgqueuer (id int); CREATE TABLE gaji.pgqueuer_log (id int); "
    "INSERT INTO gaji.pgqueuer VALUES (1); INSERT INTO gaji.pgqueuer_log VALUES (1); CREATE TABLE notes (text text)"
)
WAGES = "a note about wages"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    folder = make_base_folder()
    yield folder
    remove_folder(folder)


@pytest.fixture(scope="module")
def archived(folder: Path) -> tuple[Settings, datetime]:
    """The settings of a stopped installation with an archive, and a moment between its two changes."""
    settings = Settings(folder / "data", wal_archive=folder / "archive % 'of wages'", secret_key=SECRET)
    with running_database(settings) as (database, server):
        assert server is not None
        asyncio.run(create_secret(database, settings))
        execute(server, CREATE_QUEUE)
        execute(server, f"INSERT INTO notes SELECT '{WAGES}' FROM generate_series(1, 1000); DELETE FROM notes")
        make_base_backup(settings, keep=2)
        fetch(server, "SELECT pg_sleep(1.1)")  # base backups are named by the second
        execute(server, "INSERT INTO notes VALUES ('before')")
        moment: datetime = fetch(server, "SELECT clock_timestamp()")
        execute(server, "INSERT INTO notes VALUES ('after')")
    return settings, moment


async def create_secret(database: Database, settings: Settings) -> None:
    """Create what the archive needs of the schema: the secret of the installation."""
    async with database.owner_connection() as connection:
        await connection.execute("CREATE SCHEMA gaji; CREATE TABLE gaji.secret_marks (purpose text, mark_sealed bytea)")
        await ensure_secret(connection, settings)


def execute(server: EmbeddedServer, statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(**server.connection(SUPERUSER), timeout=30)
        try:
            await connection.execute(statements)
        finally:
            await connection.close()

    asyncio.run(run())


def in_new_folder(settings: Settings, name: str) -> Settings:
    return replace(settings, data=settings.data.with_name(name))


def test_the_state_of_a_moment_is_restored(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    restored = in_new_folder(settings, "restored")
    changed_at = restore_to(restored, moment)
    assert changed_at is not None
    assert changed_at <= moment
    with running_database(restored) as (_, server):
        assert server is not None
        assert fetch(server, "SELECT string_agg(text, ',') FROM notes") == "before"
        assert fetch(server, "SELECT count(*) FROM gaji.pgqueuer") == 0
        assert fetch(server, "SELECT count(*) FROM gaji.pgqueuer_log") == 0
        execute(server, "INSERT INTO notes VALUES ('later')")


def test_an_existing_database_is_not_replaced(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    with pytest.raises(BackupError, match="exists; stop Gaji, and move that folder away"):
        restore_to(settings, moment)


def test_a_moment_before_the_oldest_base_backup_is_refused(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    with pytest.raises(BackupError, match="no earlier time can be restored"):
        restore_to(in_new_folder(settings, "early"), moment - timedelta(hours=1))
    assert not (settings.data.with_name("early") / "postgres").exists()


def test_a_moment_after_the_end_of_the_log_leaves_nothing_behind(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    with pytest.raises(BackupError, match="recovery ended before configured recovery target was reached"):
        restore_to(in_new_folder(settings, "late"), moment + timedelta(days=1))
    assert not (settings.data.with_name("late") / "postgres").exists()


def test_old_base_backups_and_their_log_are_deleted(folder: Path) -> None:
    settings = Settings(folder / "kept", wal_archive=folder / "kept-archive", secret_key=SECRET)
    archive = WalArchive(folder / "kept-archive")
    with running_database(settings) as (database, server):
        assert server is not None
        asyncio.run(create_secret(database, settings))
        first = make_base_backup(settings, keep=1)
        fetch(server, "SELECT pg_sleep(1.1)")
        first_segment = first.first_segment
        latest = make_base_backup(settings, keep=1)
    assert archive.base_backups() == [latest]
    assert not (archive.segments / f"{first_segment}.encrypted").exists()
    assert (archive.segments / f"{latest.first_segment}.encrypted").exists()


def test_doctor_reports_the_archive(archived: tuple[Settings, datetime], folder: Path) -> None:
    settings, _ = archived
    assert settings.wal_archive is not None

    async def check(server: EmbeddedServer, archive: WalArchive) -> Finding:
        connection = await asyncpg.connect(**server.connection(SUPERUSER), timeout=30)
        try:
            return await check_wal_archive(connection, archive)
        finally:
            await connection.close()

    with running_database(settings) as (_, server):
        assert server is not None
        finding = asyncio.run(check(server, WalArchive(settings.wal_archive)))
        empty = asyncio.run(check(server, WalArchive(folder / "empty")))
    assert not finding.is_problem
    assert "can be restored" in finding.result
    assert "has no base backup" in empty.result


def test_an_archive_that_others_can_read_is_refused(folder: Path) -> None:
    open_folder = folder / "open"
    open_folder.mkdir(mode=0o755)
    with (
        pytest.raises(EmbeddedServerError, match="chmod 700"),
        running_database(Settings(folder / "unused", wal_archive=open_folder)),
    ):
        pass


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-16", "2026-11-16T09:30", "2026-13-01T09:30Z"])
def test_a_moment_needs_a_time_and_an_offset(text: str) -> None:
    with pytest.raises(BackupError, match="is not a time with an offset"):
        parse_moment(text)


def test_the_archive_is_for_the_embedded_database() -> None:
    with pytest.raises(SettingsError, match="GAJI_WAL_ARCHIVE is for the embedded database"):
        Settings.from_environment({"GAJI_WAL_ARCHIVE": "/backup", "GAJI_DATABASE_URL": "postgresql://host/gaji"})


def test_without_an_archive_nothing_is_restored(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="GAJI_WAL_ARCHIVE is not set"):
        restore_to(Settings(tmp_path), datetime.now(UTC))


def test_the_command_restores_a_moment(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    data = settings.data.with_name("by command")
    environment = os.environ | {"GAJI_DATA": str(data), "GAJI_WAL_ARCHIVE": str(settings.wal_archive)}
    environment |= {"GAJI_SECRET_KEY": SECRET, "GAJI_RUN_AS": ""}
    result = run_gaji(["restore", "--to", moment.isoformat()], environment)
    result.check_returncode()
    assert result.stdout.startswith("Restored the state of ")
    assert (data / "postgres").is_dir()
    shutil.rmtree(data)


def archive_files(settings: Settings) -> list[Path]:
    assert settings.wal_archive is not None
    return sorted(path for path in settings.wal_archive.rglob("*") if path.is_file())


def with_copied_archive(settings: Settings, name: str) -> Settings:
    """Return settings with a new data folder and a copy of the archive, which a test can change."""
    copy = settings.data.with_name(f"{name}-archive")
    assert settings.wal_archive is not None
    subprocess.run(["cp", "-a", settings.wal_archive, copy], check=True)
    return replace(in_new_folder(settings, name), wal_archive=copy)


def segment_file(settings: Settings, number: int = -1) -> Path:
    """Return the file of a segment that a restore needs: by default the last one."""
    assert settings.wal_archive is not None
    archive = WalArchive(settings.wal_archive)
    first = archive.base_backups()[0].first_segment
    segments = sorted(path for path in archive.segments.glob("*.encrypted") if len(path.name) == 24 + len(".encrypted"))
    return [path for path in segments if path.name >= first][number]


def test_nothing_in_the_archive_is_readable(archived: tuple[Settings, datetime]) -> None:
    files = archive_files(archived[0])
    assert any(path.name.endswith(".backup.encrypted") for path in files)
    for path in files:
        assert path.name.endswith(".encrypted")
        assert WAGES.encode() not in path.read_bytes()
        assert b"START WAL LOCATION" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


def test_a_changed_segment_is_refused(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "changed")
    assert settings.wal_archive is not None
    path, files = segment_file(settings), SegmentFiles(WalArchive(settings.wal_archive), server_user())
    content = path.read_bytes()
    for changed in (content[:-30], content + b"x", b"", bytes(1000), flip_byte(content)):
        path.write_bytes(changed)
        with pytest.raises(SegmentError, match="was changed or truncated after it was written"):
            files.load(path.stem, [Vault(SECRET.encode())], (), allow_unencrypted=False)
    with pytest.raises(BackupError, match=f"{path.name} was changed or truncated after it was written"):
        restore_to(settings, archived[1])
    assert not (settings.data / "postgres").exists()


def test_a_segment_under_another_name_is_refused(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "renamed")
    first, last = segment_file(settings, 0), segment_file(settings)
    assert first != last
    last.write_bytes(first.read_bytes())
    with pytest.raises(BackupError, match=f"{last.name} was changed, or renamed, after it was written"):
        restore_to(settings, archived[1])


def test_a_changed_base_backup_is_refused(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "changed-base")
    assert settings.wal_archive is not None
    [base_backup] = WalArchive(settings.wal_archive).base_backups()
    content = base_backup.path.read_bytes()
    for changed in (flip_byte(content), content[: len(content) // 2], content[:-1], b""):
        base_backup.path.write_bytes(changed)
        with pytest.raises(BackupError, match="is not a valid base backup"):
            restore_to(settings, archived[1])
        assert [path.name for path in settings.data.iterdir() if path.name.startswith("postgres")] == []


def test_the_archive_needs_the_secret(archived: tuple[Settings, datetime]) -> None:
    settings, moment = archived
    with pytest.raises(SecretError, match="encrypted with another secret"):
        restore_to(
            replace(in_new_folder(settings, "wrong"), secret_key="another secret, just as long as it must be"), moment
        )
    with pytest.raises(SecretError, match="the secret is missing"):
        restore_to(replace(in_new_folder(settings, "missing"), secret_key=None), moment)


def test_what_earlier_versions_archived_is_restored_if_asked(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "earlier")
    assert settings.wal_archive is not None
    archive, user, vaults = WalArchive(settings.wal_archive), server_user(), [Vault(SECRET.encode())]
    [base_backup] = archive.base_backups()
    old = base_backup.path.with_name(base_backup.path.name[:16])
    private_folder(old, user.uid, user.gid, 0o700)
    _extract(base_backup, old, user, SegmentKeys(vaults))
    base_backup.path.unlink()
    for path in list(archive.segments.glob("*.encrypted")):
        name = path.name.removesuffix(".encrypted")
        content = SegmentFiles(archive, user).load(name, vaults, (), allow_unencrypted=False)
        assert content is not None
        (archive.segments / name).write_bytes(content)
        os.chown(archive.segments / name, user.uid, user.gid)
        path.unlink()
    with pytest.raises(BackupError, match=r"is not encrypted\. If you trust the archive, add --allow-unencrypted"):
        restore_to(settings, archived[1])
    restore_to(settings, archived[1], allow_unencrypted=True)
    with running_database(settings) as (_, server):
        assert server is not None
        assert fetch(server, "SELECT string_agg(text, ',') FROM notes") == "before"


def test_an_unencrypted_segment_is_refused(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "replaced")
    path = segment_file(settings)
    path.rename(path.with_suffix(""))
    with pytest.raises(BackupError, match=f"{path.stem} is not encrypted"):
        restore_to(settings, archived[1])


def test_a_segment_is_archived_once(archived: tuple[Settings, datetime]) -> None:
    settings = with_copied_archive(archived[0], "again")
    assert settings.wal_archive is not None
    files, vault = SegmentFiles(WalArchive(settings.wal_archive), server_user()), Vault(SECRET.encode())
    path = segment_file(settings)
    content = files.load(path.stem, [vault], (), allow_unencrypted=False)
    assert content is not None
    before = path.read_bytes()
    files.store(path.stem, content, [vault], None)
    assert path.read_bytes() == before
    with pytest.raises(SegmentError, match="exists and is another segment"):
        files.store(path.stem, content[:-1] + b"x", [vault], None)


def test_an_archive_for_a_recipient_needs_the_identity(folder: Path) -> None:
    identity = X25519PrivateKey.from_private_bytes(bytes(range(32)))
    settings = Settings(
        folder / "recipient",
        wal_archive=folder / "recipient-archive",
        secret_key=SECRET,
        backup_recipient=recipient_text(identity.public_key()),
    )
    with running_database(settings) as (database, server):
        assert server is not None
        asyncio.run(create_secret(database, settings))
        execute(server, CREATE_QUEUE)
        make_base_backup(settings, keep=2)
        fetch(server, "SELECT pg_sleep(1.1)")
        execute(server, "INSERT INTO notes VALUES ('before')")
        moment: datetime = fetch(server, "SELECT clock_timestamp()")
        execute(server, "INSERT INTO notes VALUES ('after')")
    restored = in_new_folder(settings, "recipient-restored")
    with pytest.raises(BackupError, match="pass its identity file with --identity"):
        restore_to(restored, moment)
    with pytest.raises(BackupError, match="encrypted for another recipient"):
        restore_to(restored, moment, [X25519PrivateKey.generate()])
    restore_to(restored, moment, [identity])
    with running_database(restored) as (_, server):
        assert server is not None
        assert fetch(server, "SELECT string_agg(text, ',') FROM notes") == "before"


def for_recipient(settings: Settings, identity: X25519PrivateKey) -> Settings:
    return replace(settings, backup_recipient=recipient_text(identity.public_key()))


def test_the_recipient_can_change_between_base_backups(folder: Path) -> None:
    first, second = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    settings = Settings(folder / "changing", wal_archive=folder / "changing-archive", secret_key=SECRET)
    with running_database(settings) as (database, server):
        assert server is not None
        asyncio.run(create_secret(database, settings))
        execute(server, CREATE_QUEUE)
        make_base_backup(settings, keep=2)
    with running_database(for_recipient(settings, first)) as (_, server):
        assert server is not None
        execute(server, "INSERT INTO notes VALUES ('first')")
    with running_database(for_recipient(settings, second)) as (_, server):
        assert server is not None
        execute(server, "INSERT INTO notes VALUES ('second')")
        moment: datetime = fetch(server, "SELECT clock_timestamp()")
        execute(server, "INSERT INTO notes VALUES ('after')")
    restored = in_new_folder(settings, "changing-restored")
    with pytest.raises(BackupError, match="pass its identity file with --identity"):
        restore_to(restored, moment)
    with pytest.raises(BackupError, match="encrypted for another recipient"):
        restore_to(restored, moment, [second])
    restore_to(restored, moment, [second, first])
    with running_database(restored) as (_, server):
        assert server is not None
        assert fetch(server, "SELECT string_agg(text, ',') FROM notes") == "first,second"


def test_the_recipient_of_a_backup_is_not_that_of_the_archive(folder: Path) -> None:
    settings = Settings(folder / "one-backup", wal_archive=folder / "one-backup-archive", secret_key=SECRET)
    archive, vaults = WalArchive(folder / "one-backup-archive"), [Vault(SECRET.encode())]
    with open_installation(settings):
        pass
    segments = list(archive.segments.iterdir())
    assert segments  # although the secret was created by the command that stopped the server
    identity = X25519PrivateKey.generate()
    back_up(settings, folder / "one.backup", recipient=identity.public_key())
    verify(BackupFile(folder / "one.backup", vaults, [identity]))
    later = set(archive.segments.iterdir()) - set(segments)
    assert later
    for path in later:
        name = path.name.removesuffix(".encrypted")
        assert SegmentFiles(archive, server_user()).load(name, vaults, (), allow_unencrypted=False) is not None


def test_a_base_backup_needs_no_earlier_history(archived: tuple[Settings, datetime]) -> None:
    """Histories of timelines do not expire, and every recovery asks for them."""
    settings, identity = with_copied_archive(archived[0], "history"), X25519PrivateKey.generate()
    restore_to(settings, archived[1])
    assert settings.wal_archive is not None
    archive = WalArchive(settings.wal_archive)
    encrypted = archive.segments / "00000002.history.encrypted"
    plain = encrypted.with_suffix("")
    with running_database(settings):
        wait_until_exists(encrypted)
    encrypted.rename(plain)  # as an earlier version archived it
    rotated = for_recipient(replace(settings, secret_key="another secret, just as long as it must be"), identity)
    with running_database(settings) as (database, _):
        asyncio.run(replace_secret(database, rotated))
    with running_database(rotated) as (_, server):
        assert server is not None
        make_base_backup(rotated, keep=1)
        assert encrypted.exists()
        assert not plain.exists()
        fetch(server, "SELECT pg_sleep(1.1)")
        execute(server, "INSERT INTO notes VALUES ('rotated')")
        moment: datetime = fetch(server, "SELECT clock_timestamp()")
        execute(server, "INSERT INTO notes VALUES ('after')")
    restored = in_new_folder(rotated, "history-restored")
    restore_to(restored, moment, [identity])
    with running_database(restored) as (_, server):
        assert server is not None
        assert fetch(server, "SELECT string_agg(text, ',') FROM notes") == "before,rotated"


def wait_until_exists(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


async def replace_secret(database: Database, settings: Settings) -> None:
    async with database.owner_connection() as connection:
        await connection.execute("DELETE FROM gaji.secret_marks")
        await ensure_secret(connection, settings)


def test_a_server_of_another_version_makes_no_base_backup(archived: tuple[Settings, datetime]) -> None:
    settings, command = archived[0], {"archive_mode": "on", "archive_command": "false"}
    with (
        EmbeddedServer(settings.data, command),
        pytest.raises(BackupError, match="started by another version of Gaji; restart all of Gaji first"),
    ):
        make_base_backup(settings, keep=2)


def flip_byte(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
