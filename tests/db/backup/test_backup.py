"""Making backups: into a file, to a command or standard output, and regularly."""

import gzip
import os
import signal
import stat
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from gaji.core.settings import SECRET_VARIABLES, Settings
from gaji.core.vault import Vault
from gaji.db import archive, backup, backup_schedule
from gaji.db.archive import ArchiveWriter, BackupError, BackupFile
from gaji.db.backup import back_up, back_up_to_command, back_up_to_stream, restore
from gaji.db.backup_schedule import back_up_regularly, parse_interval
from gaji.db.database import locate_database
from tests.db.backup.backup_files import ACCOUNT_NUMBER, VAULT, backed_up_rows, backup_file, decrypted
from tests.db.databases import as_owner, gaji
from tests.support.running import SECRET, WAIT_S, Service, as_environment

pytestmark = pytest.mark.slow


def test_the_file_is_encrypted_and_has_neither_the_secret_nor_an_identifier(service: Service, file: Path) -> None:
    assert b"Kopi" not in file.read_bytes()
    contents = gzip.decompress(decrypted(file))
    assert b"Kopi Trading" in contents
    assert SECRET.encode() not in contents
    assert ACCOUNT_NUMBER.encode() not in contents


def test_the_file_is_for_its_owner_only_and_never_overwritten(service: Service, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = file.read_bytes()
    with pytest.raises(BackupError, match="already exists; choose another file name"):
        back_up(service.settings, file)
    assert file.read_bytes() == content
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_backup_that_fails_leaves_no_file(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: ArchiveWriter) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ArchiveWriter, "add_checksum", full)
    with pytest.raises(OSError, match="No space left"):
        back_up(service.settings, tmp_path / "gaji.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_streamed_to_a_command(service: Service, target: Settings, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    path = tmp_path / "streamed"
    manifest = back_up_to_command(service.settings, f"tee {path}", lambda *counts: progress.append(counts))
    assert progress[-1] == (manifest.rows, manifest.rows)
    assert restore(target, path).rows == manifest.rows
    assert backed_up_rows(target) == backed_up_rows(service.settings)


def test_a_backup_is_streamed_to_standard_output(service: Service, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "streamed"
    with path.open("wb") as output:
        manifest = back_up_to_stream(service.settings, output)
    vaults = [Vault(SECRET.encode())]
    archive.verify(BackupFile(path, vaults))
    assert archive.read_manifest(BackupFile(path, vaults)).tables == manifest.tables


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("false", "status 1"),
        ("true", "status 0, and the backup is not complete"),
        ("sleep 2", "status 0, and the backup is not complete"),  # a small backup fits into the pipe
        ("no-such-command", "cannot be started"),
        ("", "cannot be started"),
    ],
)
def test_a_command_that_fails_fails_the_backup(service: Service, command: str, message: str) -> None:
    before = as_owner(locate_database(service.settings), "SELECT completed_at FROM last_backup")
    with pytest.raises(BackupError, match=message):
        back_up_to_command(service.settings, command)
    assert as_owner(locate_database(service.settings), "SELECT completed_at FROM last_backup") == before


def test_the_command_is_killed_if_the_backup_fails(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "completed"
    monkeypatch.setattr(backup, "_check_count", Mock(side_effect=BackupError("too few rows")))
    with pytest.raises(BackupError, match="too few rows"):
        back_up_to_command(service.settings, f"sh -c 'cat > /dev/null; touch {path}'")
    assert not path.exists()


def test_programs_that_the_command_started_are_killed_too(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "completed"
    monkeypatch.setattr(backup, "_check_count", Mock(side_effect=BackupError("too few rows")))
    with pytest.raises(BackupError, match="too few rows"):
        back_up_to_command(service.settings, f"sh -c 'cat | (cat > /dev/null; touch {path})'")
    time.sleep(0.5)  # programs that are still running would end with their input
    assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_backup_and_its_command(service: Service, tmp_path: Path, number: signal.Signals) -> None:
    started, completed = tmp_path / "started", tmp_path / "completed"
    command = f"sh -c 'touch {started}; sleep 300; touch {completed}'"
    before = signal.signal(number, signal.SIG_DFL)  # the tests may have been started with signals that are ignored
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "gaji.cli.main", "backup", "--to-command", command],
            env={**os.environ, **as_environment(service.settings)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    finally:
        signal.signal(number, before)
    deadline = time.monotonic() + WAIT_S
    while not started.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)  # It ends when everything that the command started has.
    assert process.returncode == -number, output
    assert not completed.exists()


def test_the_command_gets_no_secrets(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAJI_SECRET_KEY", SECRET)
    monkeypatch.setenv("GAJI_DATABASE_URL", "postgresql://gaji:password@db.example/gaji")
    monkeypatch.setenv("RCLONE_CONFIG", "/etc/rclone.conf")
    back_up_to_command(service.settings, f"sh -c 'cat > /dev/null; env > {tmp_path}/environment'")
    names = {line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()}
    assert not names & set(SECRET_VARIABLES)
    assert "RCLONE_CONFIG" in names


def test_only_a_hyphen_means_standard_output(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = gaji(service.settings, "backup", "./-")
    assert done.returncode == 0, done.stderr
    archive.verify(BackupFile(tmp_path / "-", [VAULT]))


def test_the_target_of_a_backup_is_a_file_or_a_command(service: Service) -> None:
    for arguments in ([], ["file", "--to-command", "cat"], ["-", "--every", "1h"]):
        done = gaji(service.settings, "backup", *arguments)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr


def test_an_unfinished_backup_is_not_written_over(service: Service, tmp_path: Path) -> None:
    (tmp_path / "gaji.backup.part").write_text("another one at work")
    with pytest.raises(BackupError, match="another backup is running, or one was interrupted"):
        back_up(service.settings, tmp_path / "gaji.backup")
    assert (tmp_path / "gaji.backup.part").read_text() == "another one at work"


def test_scheduled_backups_are_made_when_due_and_the_latest_are_kept(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gaji-20250101T000000Z.backup").touch()
    (tmp_path / "gaji-20250102T000000Z.backup").touch()
    (tmp_path / "another.backup").touch()
    leftover = tmp_path / "gaji-20250101T000000Z.backup.part"
    leftover.touch()
    os.utime(leftover, (0, 0))
    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        back_up_regularly(service.settings, tmp_path, timedelta(hours=24), 2, wait)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[:2] == ["another.backup", "gaji-20250102T000000Z.backup"]
    assert len(names) == 3
    archive.verify(backup_file(tmp_path / names[2]))
    assert 23 * 3600 < pauses[0] <= 24 * 3600
    monkeypatch.setattr(backup_schedule, "back_up", Mock(side_effect=BackupError("no space")))
    with pytest.raises(InterruptedError):
        back_up_regularly(service.settings, tmp_path / "new", timedelta(hours=24), 2, wait)
    assert pauses[1] == 600


@pytest.mark.parametrize("text", ["", "24", "0h", "1.5h", "-1d", "24 h", "99999d"])
def test_an_interval_has_a_number_and_a_unit(text: str) -> None:
    with pytest.raises(BackupError, match="is not an interval"):
        parse_interval(text)
