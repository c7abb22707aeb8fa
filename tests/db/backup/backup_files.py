"""Reads and rewrites backups of the tests' installation."""

import asyncio
from pathlib import Path

import asyncpg
import msgspec

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db import archive
from gaji.db.archive import BackupFile
from gaji.db.encrypted_file import (
    DecryptingFile,
)
from tests.db.databases import everything
from tests.support.running import SECRET

VAULT = Vault(SECRET.encode())
ACCOUNT_NUMBER = "8412390077"


def is_untouched(settings: Settings) -> bool:
    """Return whether the database has no schema of Gaji."""

    async def look() -> bool:
        connection = await asyncpg.connect(settings.database_url)
        try:
            return await connection.fetchval("SELECT to_regnamespace('gaji')") is None
        finally:
            await connection.close()

    return asyncio.run(look())


def backup_file(path: Path) -> BackupFile:
    """Return a backup of the tests' installation, to be read."""
    return BackupFile(path, [VAULT])


def decrypted(path: Path) -> bytes:
    """Return the compressed tar file in a backup."""
    with path.open("rb") as file:
        return DecryptingFile(file, [VAULT]).readall()


def rewritten(path: Path, target: Path, *, entries: dict[str, bytes] | None = None, **changes: object) -> Path:
    """Write a valid copy of a backup with other rows or another manifest."""
    manifest = msgspec.structs.replace(archive.read_manifest(backup_file(path)), **changes)
    contents: dict[str, bytearray] = {}
    for name, block in archive.read_entries(backup_file(path)):
        contents.setdefault(name, bytearray()).extend(block)
    with target.open("wb") as output, archive.open_archive(output, manifest, VAULT) as writer:
        for name, data in {**contents, **(entries or {})}.items():
            if name != archive.MANIFEST:
                writer.add(name, bytes(data))
    return target


def backed_up_rows(settings: Settings) -> dict[str, list[str]]:
    """Return every row, except when the last backup was completed, which that backup itself does not have."""
    return {name: rows for name, rows in everything(settings).items() if name != "last_backup"}
