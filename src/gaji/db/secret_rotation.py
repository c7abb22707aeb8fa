"""Rotation of the secret: everything encrypted with the old secret is encrypted again, in one transaction.

Encrypted columns and their hashes are recognised by name (`db/sealed_columns.py`). The text of API keys is not stored,
so they cannot be hashed again: the key that hashes them is kept, sealed with the new secret. So are the keys of the
chains of the audit log: earlier links keep their hashes, and new ones get a new key.

The new secret is on disk before the database commits, and replaces the old one after. Wherever a rotation is
interrupted, a secret that matches the database remains.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.core.vault import Vault, new_secret
from gaji.db import schema
from gaji.db.embedded.folders import sync_folder
from gaji.db.installation import Installation
from gaji.db.migrate import LOCK
from gaji.db.presence import require_exclusive_use
from gaji.db.schema import quote_identifier
from gaji.db.sealed_columns import MARKS, SealedColumnsError, begin_resealing, reseal_table, sealed_columns
from gaji.db.secret_key import (
    API_KEYS_CELL,
    AUDIT_KEYS_CELL,
    BOUND_HASHES_CELL,
    CHECK,
    CHECK_CELL,
    KEY_FILE,
    MIN_SECRET_LENGTH,
    NEXT_KEY_FILE,
    write_secret,
)


class RotationError(Exception):
    """The secret cannot be changed. The message says why and what to do."""


@dataclass(frozen=True)
class RotationResult:
    """The result of a rotation."""

    values: int
    old_secret: Path | None
    """The file with the old secret, if it was in a file."""


async def rotate_secret(installation: Installation, new_secret_key: str | None) -> RotationResult:
    """Change the secret to a generated one in the key file, or to the new one if the operator stores it elsewhere."""
    settings = installation.settings
    secret = _choose_secret(settings, new_secret_key)
    new = Vault(secret.encode(), installation.vault.api_key_hashing, installation.vault.audit_keys)
    old_file = None
    async with installation.database.maintenance("rotation") as connection:
        try:
            values = await _reseal(connection, installation.vault, new)
        except SealedColumnsError as error:
            raise RotationError(str(error)) from error
        if not settings.secret_key:
            old_file = _write_files(settings.data, secret)
    if old_file is not None:
        with suppress(FileNotFoundError):  # another command has already renamed it
            os.replace(settings.data / NEXT_KEY_FILE, settings.data / KEY_FILE)
        sync_folder(settings.data)
    return RotationResult(values, old_file)


def _choose_secret(settings: Settings, new_secret_key: str | None) -> str:
    if not settings.secret_key:
        if new_secret_key:
            raise RotationError(
                f"the secret of this installation is in {settings.data / KEY_FILE}, where a new one will be written: "
                "unset GAJI_NEW_SECRET_KEY, which is used only together with GAJI_SECRET_KEY"
            )
        return new_secret()
    if not new_secret_key:
        raise RotationError("the secret is in GAJI_SECRET_KEY: set the new one as GAJI_NEW_SECRET_KEY")
    if len(new_secret_key) < MIN_SECRET_LENGTH:
        raise RotationError(
            f"GAJI_NEW_SECRET_KEY has {len(new_secret_key)} characters; it must have at least {MIN_SECRET_LENGTH}"
        )
    if new_secret_key == settings.secret_key:
        raise RotationError("GAJI_NEW_SECRET_KEY is the same as GAJI_SECRET_KEY")
    return new_secret_key


def _write_files(data: Path, secret: str) -> Path:
    """Write the new secret, and a copy of the old one, which older backups need."""
    old_file = data / f"{KEY_FILE}.until-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    owner = (data / KEY_FILE).stat().st_uid  # who runs the server
    write_secret(old_file, (data / KEY_FILE).read_text().strip(), owner)
    write_secret(data / NEXT_KEY_FILE, secret, owner)
    sync_folder(data)
    return old_file


async def _reseal(connection: asyncpg.Connection, old: Vault, new: Vault) -> int:
    """Encrypt everything again. Return the number of values."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
    await require_exclusive_use(connection, "changing the secret")
    await begin_resealing(connection)
    tables = [columns for table in await schema.load_tables(connection) if (columns := sealed_columns(table)).sealed]
    for name in (MARKS, *(columns.table for columns in tables)):
        await connection.execute(f"LOCK TABLE {quote_identifier(name)} IN SHARE ROW EXCLUSIVE MODE")
    values = 0
    for columns in tables:
        values += await reseal_table(connection, columns, old, new)
    await _replace_marks(connection, new)
    return values


async def _replace_marks(connection: asyncpg.Connection, new: Vault) -> None:
    marks = {
        "check": new.seal(CHECK, CHECK_CELL),
        "api_keys": new.seal(new.api_key_hashing, API_KEYS_CELL),
        "bound_hashes": new.seal(CHECK, BOUND_HASHES_CELL),
        "audit_keys": new.seal(b"".join(new.audit_keys[:-1]), AUDIT_KEYS_CELL),
    }
    await connection.executemany(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ($1, $2) "
        "ON CONFLICT (purpose) DO UPDATE SET mark_sealed = excluded.mark_sealed",
        list(marks.items()),
    )
