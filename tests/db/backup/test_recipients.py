"""Backups for a recipient: the server writes them and cannot read them, and only the identity restores them."""

import io
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gaji.core.recipients import identity_text, parse_identity, recipient_text
from gaji.core.settings import Settings, SettingsError
from gaji.core.vault import Vault
from gaji.db import archive
from gaji.db.archive import BackupError, BackupFile
from gaji.db.backup import back_up, restore
from gaji.db.backup_keys import read_identity, write_identity
from gaji.db.backup_schedule import back_up_regularly
from gaji.db.encrypted_file import (
    FRAME_BYTES,
    HEADER_BYTES,
    RECIPIENT_BYTES,
    TAG_BYTES,
    ChangedFile,
    DecryptingFile,
    EncryptingFile,
    IdentityError,
    WrongSecret,
)
from gaji.db.secret_key import SecretError
from tests.db.databases import everything, gaji
from tests.support.running import SECRET, Service, as_environment, running_service

VAULT = Vault(SECRET.encode())
IDENTITY = X25519PrivateKey.from_private_bytes(bytes(range(32)))
RECIPIENT = recipient_text(IDENTITY.public_key())


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server whose backups are for the recipient."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        running.new_account()
        yield replace(running, settings=replace(running.settings, backup_recipient=RECIPIENT))


@pytest.fixture(scope="module")
def file(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backup") / "gaji.backup"
    back_up(service.settings, path)
    return path


def encrypted(data: bytes) -> bytes:
    output = io.BytesIO()
    encrypting = EncryptingFile(output, VAULT, IDENTITY.public_key())
    encrypting.write(data)
    encrypting.finish()
    return output.getvalue()


def decrypted(data: bytes, *identities: X25519PrivateKey, vault: Vault = VAULT) -> bytes:
    return DecryptingFile(io.BytesIO(data), [vault], identities).readall()


def test_only_the_identity_with_the_secret_decrypts() -> None:
    data = os.urandom(FRAME_BYTES + 7)
    sealed = encrypted(data)
    assert decrypted(sealed, IDENTITY) == data
    assert decrypted(sealed, X25519PrivateKey.generate(), IDENTITY) == data
    with pytest.raises(IdentityError, match="pass its identity file with --identity"):
        decrypted(sealed)
    with pytest.raises(IdentityError, match="encrypted for another recipient"):
        decrypted(sealed, X25519PrivateKey.generate())
    with pytest.raises(WrongSecret):
        decrypted(sealed, IDENTITY, vault=Vault(b"another secret, just as long as it must be"))


def test_every_file_has_a_key_of_its_own() -> None:
    first, second = encrypted(b"wages"), encrypted(b"wages")
    assert first[HEADER_BYTES : HEADER_BYTES + RECIPIENT_BYTES] != second[HEADER_BYTES : HEADER_BYTES + RECIPIENT_BYTES]


def test_a_changed_byte_anywhere_is_refused() -> None:
    sealed = encrypted(b"wages")
    for position in range(len(sealed)):
        changed = sealed[:position] + bytes([sealed[position] ^ 0x10]) + sealed[position + 1 :]
        with pytest.raises((ChangedFile, IdentityError, WrongSecret)):
            decrypted(changed, IDENTITY)
    for size in range(len(sealed)):
        with pytest.raises(ChangedFile):
            decrypted(sealed[:size], IDENTITY)


def test_frames_cannot_be_moved_or_dropped() -> None:
    sealed = encrypted(os.urandom(3 * FRAME_BYTES))
    start, size = HEADER_BYTES + RECIPIENT_BYTES, FRAME_BYTES + TAG_BYTES
    header, frames = sealed[:start], [sealed[at : at + size] for at in range(start, len(sealed), size)]
    for changed in (frames[:2], [frames[1], frames[0], frames[2]], [*frames, frames[2]], []):
        with pytest.raises(ChangedFile):
            decrypted(header + b"".join(changed), IDENTITY)


def test_a_low_order_point_is_refused() -> None:
    sealed = encrypted(b"wages")
    with pytest.raises(ChangedFile):
        decrypted(sealed[:HEADER_BYTES] + bytes(32) + sealed[HEADER_BYTES + 32 :], IDENTITY)


def test_a_backup_for_a_recipient_is_restored_with_the_identity(service: Service, file: Path, target: Settings) -> None:
    restore(target, file, [IDENTITY])
    before, after = everything(service.settings), everything(target)
    assert after["accounts"] == before["accounts"]
    assert after["accounts"]


def test_a_backup_for_a_recipient_is_refused_without_the_right_identity(
    file: Path, target: Settings, tmp_path: Path
) -> None:
    with pytest.raises(BackupError, match=r"cannot be restored: .* pass its identity file with --identity"):
        restore(target, file)
    with pytest.raises(BackupError, match="cannot be restored: it was encrypted for another recipient"):
        restore(target, file, [X25519PrivateKey.generate()])
    with pytest.raises(SecretError, match="made with another secret"):
        restore(replace(target, secret_key="another secret, just as long as it must be"), file, [IDENTITY])
    changed = tmp_path / "changed"
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    changed.write_bytes(data)
    with pytest.raises(BackupError, match="changed or truncated"):
        restore(target, changed, [IDENTITY])


def test_an_identity_is_not_needed_for_a_backup_without_a_recipient(
    service: Service, target: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "gaji.backup"
    back_up(replace(service.settings, backup_recipient=None), path)
    archive.verify(BackupFile(path, [VAULT], [IDENTITY]))
    plain = tmp_path / "plain.backup"
    with path.open("rb") as sealed:
        plain.write_bytes(DecryptingFile(sealed, [VAULT]).readall())
    with pytest.raises(BackupError, match="it is not encrypted; leave out --identity"):
        restore(target, plain, [IDENTITY])


def test_scheduled_backups_are_for_the_recipient(service: Service, tmp_path: Path) -> None:
    def interrupt(_: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        back_up_regularly(service.settings, tmp_path, timedelta(hours=24), 2, interrupt)
    [path] = tmp_path.iterdir()
    archive.verify(BackupFile(path, [VAULT], [IDENTITY]))


def test_the_commands(service: Service, tmp_path: Path) -> None:
    own = replace(service.settings, backup_recipient=None)
    key, path = tmp_path / "key", tmp_path / "gaji.backup"
    other = tmp_path / "other key"
    write_identity(other)
    made = gaji(own, "backup-key", str(key))
    assert made.returncode == 0, made.stderr
    backup = gaji(own, "backup", str(path), "--recipient", made.stdout.strip())
    assert backup.returncode == 0, backup.stderr
    assert "keep a copy of the identity of the recipient and of" in backup.stdout
    refused = gaji(own, "verify-backup", str(path))
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "it was encrypted for a recipient" in refused.stderr
    verified = gaji(own, "verify-backup", str(path), "--identity", str(other), "--identity", str(key))
    assert verified.returncode == 0, verified.stderr
    wrong = gaji(own, "backup", str(tmp_path / "other"), "--recipient", key.read_text().splitlines()[-1])
    assert wrong.stderr.startswith("gaji: the value of --recipient is an identity, which must stay secret")


def test_a_key_file_is_private_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key"
    recipient = write_identity(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert recipient_text(read_identity(path).public_key()) == recipient
    with pytest.raises(BackupError, match="already exists"):
        write_identity(path)


@pytest.mark.parametrize("content", ["", "# nothing\n", "hello\n", RECIPIENT, f"{identity_text(IDENTITY)}\n" * 2])
def test_a_file_without_one_identity_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content)
    with pytest.raises(BackupError, match=r"`gaji backup-key`"):
        read_identity(path)


def test_texts_of_keys_can_be_parsed() -> None:
    assert parse_identity(identity_text(IDENTITY)).private_bytes_raw() == IDENTITY.private_bytes_raw()


def test_the_recipient_is_a_setting(service: Service) -> None:
    assert Settings.from_environment(as_environment(service.settings)).backup_recipient == RECIPIENT
    for text in ("hello", RECIPIENT[:-1], identity_text(IDENTITY), f"gaji-recipient-{'A' * 43}"):
        with pytest.raises(SettingsError, match="the value of GAJI_BACKUP_RECIPIENT is") as error:
            Settings.from_environment({"GAJI_BACKUP_RECIPIENT": text})
        assert text not in str(error.value)
