"""Files that were changed, cut off, or are not backups are rejected."""

import gzip
import random
from dataclasses import replace
from pathlib import Path

import pytest

from gaji.core.settings import Settings
from gaji.db import archive
from gaji.db.archive import BackupError
from gaji.db.backup import restore
from gaji.db.database import locate_database
from gaji.db.encrypted_file import (
    FRAME_BYTES,
    HEADER_BYTES,
    TAG_BYTES,
    ChangedFile,
    EncryptingFile,
)
from gaji.db.secret_key import SecretError
from tests.db.backup.backup_files import (
    VAULT,
    backup_file,
    decrypted,
    is_untouched,
    rewritten,
)
from tests.db.databases import as_owner, everything

pytestmark = pytest.mark.slow


def test_a_truncated_or_changed_file_is_rejected(file: Path, tmp_path: Path) -> None:
    data, broken, chance = file.read_bytes(), tmp_path / "broken.backup", random.Random(1)
    archive.verify(backup_file(file))
    for _ in range(60):
        broken.write_bytes(data[: chance.randrange(len(data))])
        with pytest.raises(BackupError, match="not a valid backup"):
            archive.verify(backup_file(broken))
    for _ in range(60):
        broken.write_bytes(_flipped(data, chance.randrange(HEADER_BYTES, len(data))))
        with pytest.raises(BackupError, match="changed or truncated"):
            archive.verify(backup_file(broken))


def test_frames_cannot_be_moved_dropped_or_repeated(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    with path.open("wb") as output:
        encrypting = EncryptingFile(output, VAULT)
        encrypting.write(bytes(range(256)) * (3 * FRAME_BYTES // 256))
        encrypting.finish()
    data = path.read_bytes()
    assert decrypted(path) == bytes(range(256)) * (3 * FRAME_BYTES // 256)
    header, frames = data[:HEADER_BYTES], data[HEADER_BYTES:]
    size = FRAME_BYTES + TAG_BYTES
    first, second, third = frames[:size], frames[size : 2 * size], frames[2 * size :]
    for changed in ([first, second], [second, first, third], [first, third], [first, second, third, third], []):
        path.write_bytes(header + b"".join(changed))
        with pytest.raises(ChangedFile):
            decrypted(path)


def test_backups_of_format_1_are_restored(file: Path, target: Settings, tmp_path: Path) -> None:
    older = tmp_path / "older.backup"
    older.write_bytes(decrypted(file))
    with pytest.raises(SecretError, match="the secret is missing: restore it as"):
        restore(replace(target, secret_key=None), older)
    assert restore(target, older).rows == archive.read_manifest(backup_file(file)).rows


def test_a_changed_file_of_format_1_is_rejected(file: Path, tmp_path: Path) -> None:
    compressed = decrypted(file)
    plain = gzip.decompress(compressed)
    broken = tmp_path / "broken.backup"
    chance = random.Random(1)
    for data in (compressed, plain):
        broken.write_bytes(data)
        archive.verify(backup_file(broken))
        # A plain tar ends in two empty blocks and padding, which are not read.
        meant = len(data) if data is compressed else plain.rindex(b"sha256\0") + 512 + 64
        for _ in range(30):
            position = chance.randrange(meant)
            broken.write_bytes(data[:position])
            with pytest.raises(BackupError, match="not a valid backup"):
                archive.verify(backup_file(broken))
        for _ in range(30):
            broken.write_bytes(_flipped(data, chance.randrange(10 if data is compressed else 0, meant)))
            _refused_or_the_same(broken, file)


def _flipped(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 0x10]) + data[position + 1 :]


def _refused_or_the_same(changed: Path, original: Path) -> None:
    """Check that a changed file is refused or has the same rows: some bytes, such as timestamps, do not matter."""
    try:
        contents = list(archive.read_entries(backup_file(changed)))
    except BackupError:
        return
    assert contents == list(archive.read_entries(backup_file(original)))


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b\x08\x00", bytes(10240)])
def test_a_file_that_is_not_a_backup_is_rejected(target: Settings, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.backup"
    path.write_bytes(content)
    with pytest.raises(BackupError, match="not a valid backup"):
        restore(target, path)
    assert is_untouched(target)


def test_a_corrupt_file_leaves_nothing(file: Path, target: Settings, tmp_path: Path) -> None:
    path = tmp_path / "short.backup"
    path.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BackupError, match="not a valid backup"):
        restore(target, path)
    assert is_untouched(target)


def test_rows_that_do_not_fit_leave_nothing(file: Path, target: Settings, tmp_path: Path) -> None:
    rows = b"".join(
        block for name, block in archive.read_entries(backup_file(file)) if name == "tables/memberships/000001"
    )
    entries = {"tables/memberships/000001": rows.replace(rows.split(b"\t")[0], b"987654", 1)}
    path = rewritten(file, tmp_path / "odd.backup", entries=entries)
    with pytest.raises(BackupError, match=r"the rows of memberships in .* cannot be loaded"):
        restore(target, path)
    filled = {name for name, rows in everything(target).items() if rows and not name.startswith("next of ")}
    assert filled == {"schema_migrations", "access_chain_state", "audit_chain_state"}  # from the migrations
    assert as_owner(
        locate_database(target), "SELECT FROM pg_class WHERE relname = 'clients' AND relforcerowsecurity"
    ) == [{}]
    restore(target, file)


def test_missing_rows_are_noticed(file: Path, target: Settings, tmp_path: Path) -> None:
    path = rewritten(file, tmp_path / "odd.backup", entries={"tables/pay_points/000001": b""})
    with pytest.raises(BackupError, match="pay_points should have"):
        restore(target, path)
