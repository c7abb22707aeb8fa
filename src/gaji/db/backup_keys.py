"""Files with the identity that decrypts backups for its recipient."""

import os
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gaji.core.recipients import InvalidKey, identity_text, parse_identity, recipient_text
from gaji.core.system_rights import as_starter
from gaji.db.archive import BackupError

COMMENT = "#"
MAX_FILE_CHARACTERS = 10_000


def write_identity(path: Path) -> str:
    """Write a new identity to a private file, which must not exist yet. Return its recipient."""
    identity = X25519PrivateKey.generate()
    recipient = recipient_text(identity.public_key())
    text = f"# Made by `gaji backup-key` at {datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n# {recipient}\n"
    try:
        with as_starter():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BackupError(f"{path} already exists; choose another file name") from None
    with open(descriptor, "w") as file:
        file.write(f"{text}{identity_text(identity)}\n")
        file.flush()
        os.fsync(descriptor)
    return recipient


def read_identity(path: Path) -> X25519PrivateKey:
    """Return the identity in a file. Raises BackupError."""
    with as_starter(), path.open(errors="replace") as file:
        lines = file.read(MAX_FILE_CHARACTERS).splitlines()
    keys = [text for line in lines if (text := line.strip()) and not text.startswith(COMMENT)]
    if len(keys) != 1:
        raise BackupError(f"{path} must have one identity; use the file that `gaji backup-key` wrote")
    try:
        return parse_identity(keys[0])
    except InvalidKey as error:
        raise BackupError(f"the key in {path} {error}") from None
