"""Files of the archived log, and the service that answers PostgreSQL's requests, without a server."""

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gaji.core.vault import Vault
from gaji.db import wal_segments
from gaji.db.embedded import folders, wal_archive
from gaji.db.embedded.system_user import server_user
from gaji.db.embedded.wal_archive import WalArchive
from gaji.db.wal_segments import SegmentError, SegmentFiles, SegmentKeys, SegmentService
from tests.db.embedded.conftest import make_base_folder, remove_folder

NAME, OTHER_NAME = "000000010000000000000001", "000000010000000000000002"
HISTORY = "00000002.history"
OLD = Vault(b"the first secret, which is long enough")
NEW = Vault(b"the second secret, which is long enough")
ROTATED = Vault(b"the second secret, which is long enough", earlier_audit_keys=OLD.audit_keys)


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = make_base_folder()
    yield folder
    remove_folder(folder)


@pytest.fixture
def files(folder: Path) -> SegmentFiles:
    files = SegmentFiles(WalArchive(folder / "archive"), server_user())
    files.archive.prepare(files.user)
    return files


@pytest.fixture
def data(folder: Path, files: SegmentFiles) -> Path:
    """A data folder with a segment in the log."""
    data = folder / "data"
    (data / "postgres" / "pg_wal").mkdir(parents=True)
    (data / "postgres" / "pg_wal" / NAME).write_bytes(b"wages")
    files.archive.requests(data).mkdir()
    return data


def service(data: Path, files: SegmentFiles, keys: SegmentKeys | None = None) -> SegmentService:
    return SegmentService(data, files, None, lambda: [NEW], keys)


def request(data: Path, files: SegmentFiles, name: str) -> Path:
    path = files.archive.requests(data) / name
    path.touch()
    return path


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def load(files: SegmentFiles, name: str, *vaults: Vault, identities: tuple[X25519PrivateKey, ...] = ()) -> bytes | None:
    return files.load(name, vaults, identities, allow_unencrypted=False)


def test_segments_can_have_several_recipients(files: SegmentFiles) -> None:
    first, second = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    files.store(NAME, b"none", [NEW], None)
    files.store(OTHER_NAME, b"first", [NEW], first.public_key())
    files.store(HISTORY, b"second", [NEW], second.public_key())
    contents = [load(files, name, NEW, identities=(first, second)) for name in (NAME, OTHER_NAME, HISTORY)]
    assert contents == [b"none", b"first", b"second"]
    with pytest.raises(SegmentError, match="pass its identity file with --identity"):
        load(files, HISTORY, NEW)
    with pytest.raises(SegmentError, match="encrypted for another recipient"):
        load(files, HISTORY, NEW, identities=(first,))


def test_a_segment_of_an_earlier_secret_is_archived_once(files: SegmentFiles) -> None:
    files.store(NAME, b"wages", [OLD], None)
    files.store(NAME, b"wages", [ROTATED, OLD], None)
    assert load(files, NAME, OLD) == b"wages"
    with pytest.raises(SegmentError, match="exists and is another segment"):
        files.store(NAME, b"other", [ROTATED, OLD], None)


def test_a_segment_of_a_secret_that_is_gone_is_archived_again(files: SegmentFiles) -> None:
    files.store(NAME, b"wages", [OLD], None)
    files.store(NAME, b"wages", [ROTATED], None)
    assert load(files, NAME, NEW) == b"wages"


def test_a_segment_of_another_database_with_an_unknown_secret_is_kept(files: SegmentFiles) -> None:
    """After a rotation it cannot be told from a segment of the own database, whose secret is gone."""
    files.store(NAME, b"wages of others", [OLD], None)
    other = (files.archive.segments / f"{NAME}.encrypted").read_bytes()
    files.store(NAME, b"wages", [ROTATED], None)
    assert load(files, NAME, NEW) == b"wages"
    [replaced] = files.archive.segments.glob(f"{NAME}.replaced-*.encrypted")
    assert replaced.read_bytes() == other
    files.store(NAME, b"wages", [ROTATED], None)
    assert len(list(files.archive.segments.iterdir())) == 2


def test_a_segment_that_cannot_be_archived_again_is_still_there(
    files: SegmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    files.store(NAME, b"wages", [OLD], None)
    monkeypatch.setattr(wal_segments, "write_compressed", fail)
    with pytest.raises(OSError, match="No space left"):
        files.store(NAME, b"wages", [ROTATED], None)
    assert load(files, NAME, OLD) == b"wages"
    assert len(list(files.archive.segments.iterdir())) == 1


def test_a_segment_of_another_database_is_not_replaced(files: SegmentFiles) -> None:
    """Without a rotation, no segment of this database can have another secret."""
    files.store(NAME, b"wages", [OLD], None)
    with pytest.raises(SegmentError, match="use a separate folder for each database"):
        files.store(NAME, b"wages", [NEW], None)
    assert load(files, NAME, OLD) == b"wages"


def test_an_archived_segment_is_on_disk_before_it_is_acknowledged(
    files: SegmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that wrote it may have ended before it synchronised the folder."""
    files.store(NAME, b"wages", [NEW], None)
    synchronised: list[Path] = []
    monkeypatch.setattr(wal_segments, "sync_folder", synchronised.append)
    files.store(NAME, b"wages", [NEW], None)
    assert synchronised == [files.archive.segments]


def test_a_segment_that_cannot_be_looked_up_is_not_missing(
    files: SegmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    assert load(files, NAME, NEW) is None
    monkeypatch.setattr(Path, "lstat", fail)
    with pytest.raises(OSError, match="Input/output error"):
        load(files, NAME, NEW)


def test_requests_are_answered(data: Path, files: SegmentFiles) -> None:
    with service(data, files, SegmentKeys([NEW])):
        archive = request(data, files, f"{NAME}.archive")
        wait_for(archive.with_suffix(".done").exists)
        archive.with_suffix(".done").unlink()
        restore = request(data, files, f"{NAME}.restore")
        wait_for(restore.with_suffix(".done").exists)
        assert restore.with_suffix(".done").read_bytes() == b"wages"
        wait_for(lambda: not restore.with_suffix(".taken").exists())
        missing = request(data, files, f"{OTHER_NAME}.restore")
        wait_for(lambda: not missing.exists() and not missing.with_suffix(".taken").exists())
    assert [path.name for path in files.archive.requests(data).iterdir()] == [f"{NAME}.done"]


def test_a_service_without_keys_leaves_restores_to_others(data: Path, files: SegmentFiles) -> None:
    with service(data, files):
        restore = request(data, files, f"{OTHER_NAME}.restore")
        archive = request(data, files, f"{NAME}.archive")
        wait_for(archive.with_suffix(".done").exists)
        time.sleep(3 * wal_segments.POLL_S)
        assert restore.exists()


def test_a_restore_that_fails_for_any_reason_is_refused(
    data: Path, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr(SegmentFiles, "load", fail)
    with service(data, files, SegmentKeys([NEW])) as answering:
        restore = request(data, files, f"{NAME}.restore")
        wait_for(restore.with_suffix(".refused").exists)
    assert answering.refusal == "RuntimeError: out of luck"


def test_a_restore_without_an_answer_ends_the_recovery(
    data: Path, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_archive, "_MAX_POLLS", 1)
    restore = files.archive.recovery_settings(data, datetime.now(UTC))["restore_command"]
    archive = files.archive.archive_settings(data)["archive_command"]
    statuses = [
        subprocess.run(["sh", "-c", command.replace("%f", NAME)], check=False).returncode
        for command in (restore, archive)
    ]
    assert statuses == [200, 1]
    assert list(files.archive.requests(data).iterdir()) == []


def test_the_service_continues_after_an_error(data: Path, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr(wal_segments, "log", lambda _level, event, **_: logged.append(event))
    monkeypatch.setattr(wal_segments, "RETRY_S", 0.1)
    requests = files.archive.requests(data)
    requests.rmdir()
    requests.touch()
    with service(data, files):
        wait_for(lambda: "log archive failed" in logged)
        requests.unlink()
        requests.mkdir()
        archive = request(data, files, f"{NAME}.archive")
        wait_for(archive.with_suffix(".done").exists)


def test_a_process_that_cannot_write_leaves_requests_to_others(
    data: Path, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    def is_answered() -> bool:
        return not archive.exists() and not archive.with_suffix(".taken").exists()

    monkeypatch.setattr(SegmentFiles, "store", fail)
    monkeypatch.setattr(wal_segments, "GRACE_S", 60)
    with service(data, files):
        archive = request(data, files, f"{NAME}.archive")
        wait_for(is_answered)
        request(data, files, f"{NAME}.archive")
        time.sleep(3 * wal_segments.POLL_S)
        assert archive.exists()
        # Nobody else answers.
        monkeypatch.setattr(wal_segments, "GRACE_S", 0.1)
        wait_for(is_answered)
    assert "log not archived" in "".join(capfd.readouterr())


def test_a_request_that_is_gone_after_the_segment_was_archived_is_no_error(
    data: Path, files: SegmentFiles, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    archive = request(data, files, f"{NAME}.archive")
    store = SegmentFiles.store

    def store_slowly(*arguments: object) -> None:
        store(*arguments)  # type: ignore[arg-type]
        archive.with_suffix(".taken").unlink()

    monkeypatch.setattr(SegmentFiles, "store", store_slowly)
    with service(data, files):
        wait_for(lambda: not archive.exists() and not archive.with_suffix(".taken").exists())
    assert load(files, NAME, NEW) == b"wages"
    assert "log not archived" not in "".join(capfd.readouterr())


def test_leftovers_are_deleted_when_they_are_old(data: Path, files: SegmentFiles) -> None:
    archive = files.archive
    leftovers = [archive.folder / "base" / "unfinished-1", archive.segments / "unfinished-1"]
    leftovers += [archive.segments / f"{NAME}.part", archive.requests(data) / "unfinished-1"]
    for path in leftovers:
        path.touch()
    archive.delete_unfinished(data)
    assert all(path.exists() for path in leftovers)
    a_day_ago = time.time() - folders.LEFTOVER_AGE_S - 1
    for path in leftovers:
        os.utime(path, (a_day_ago, a_day_ago))
    archive.delete_unfinished(data)
    assert not any(path.exists() for path in leftovers)
