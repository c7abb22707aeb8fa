"""Point-in-time recovery of the embedded server, from base backups and its archived log."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from gaji.cli.doctor import Finding, check_wal_archive
from gaji.core.settings import Settings, SettingsError
from gaji.db.archive import BackupError
from gaji.db.database import running_database
from gaji.db.embedded import SUPERUSER, EmbeddedServer, EmbeddedServerError
from gaji.db.embedded.wal_archive import WalArchive
from gaji.db.point_in_time import make_base_backup, parse_moment, restore_to
from tests.db.embedded.commands import fetch
from tests.db.embedded.conftest import make_base_folder, remove_folder
from tests.support.preloaded import run_gaji

CREATE_QUEUE = (
    "CREATE SCHEMA gaji; CREATE TABLE gaji.pgqueuer (id int); CREATE TABLE gaji.pgqueuer_log (id int); "
    "INSERT INTO gaji.pgqueuer VALUES (1); INSERT INTO gaji.pgqueuer_log VALUES (1); CREATE TABLE notes (text text)"
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    folder = make_base_folder()
    yield folder
    remove_folder(folder)


@pytest.fixture(scope="module")
def archived(folder: Path) -> tuple[Settings, datetime]:
    """The settings of a stopped installation with an archive, and a moment between its two changes."""
    settings = Settings(folder / "data", wal_archive=folder / "archive % 'of wages'")
    with running_database(settings) as (_, server):
        assert server is not None
        execute(server, CREATE_QUEUE)
        make_base_backup(settings, keep=2)
        fetch(server, "SELECT pg_sleep(1.1)")  # base backups are named by the second
        execute(server, "INSERT INTO notes VALUES ('before')")
        moment: datetime = fetch(server, "SELECT clock_timestamp()")
        execute(server, "INSERT INTO notes VALUES ('after')")
    return settings, moment


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
    settings = Settings(folder / "kept", wal_archive=folder / "kept-archive")
    archive = WalArchive(folder / "kept-archive")
    with running_database(settings) as (_, server):
        assert server is not None
        first = make_base_backup(settings, keep=1)
        fetch(server, "SELECT pg_sleep(1.1)")
        first_segment = first.first_segment
        latest = make_base_backup(settings, keep=1)
    assert archive.base_backups() == [latest]
    assert not (archive.segments / first_segment).exists()
    assert (archive.segments / latest.first_segment).exists()


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
    result = run_gaji(["restore", "--to", moment.isoformat()], environment)
    result.check_returncode()
    assert result.stdout.startswith("Restored the state of ")
    assert (data / "postgres").is_dir()
    shutil.rmtree(data)
