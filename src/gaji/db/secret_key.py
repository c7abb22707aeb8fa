"""The secret of an installation: where it is stored, and the check value in the database that it must match."""

import os
from contextlib import suppress
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.core.vault import SECRET_BYTES, DecryptionError, SealedCell, Vault, new_secret
from gaji.db.connect import connect
from gaji.db.database import Database

KEY_FILE = "secret.key"
NEXT_KEY_FILE = "secret.key.next"
"""Written by a rotation before its commit and renamed after it. An interrupted rotation leaves it behind."""
CHECK = b"gaji"
CHECK_CELL = SealedCell(0, "secret_marks", 0, "check")
API_KEYS_CELL = SealedCell(0, "secret_marks", 0, "api_keys")
AUDIT_KEYS_CELL = SealedCell(0, "secret_marks", 0, "audit_keys")
BOUND_HASHES_CELL = SealedCell(0, "secret_marks", 0, "bound_hashes")
MIN_SECRET_LENGTH = 32


class SecretError(Exception):
    """The secret is missing, too short, or does not match the database."""


async def ensure_secret(connection: asyncpg.Connection, settings: Settings) -> Vault:
    """Return the vault. A new database gets a secret. Requires the owner's connection."""
    marks = await load_marks(connection)
    if "check" in marks:
        return matching_vault(marks, settings)
    secret = settings.secret_key or _read(settings.data / KEY_FILE) or _create(settings.data / KEY_FILE)
    vault = Vault(_validate(secret))
    await connection.execute(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ('check', $1)", vault.seal(CHECK, CHECK_CELL)
    )
    return vault


async def open_vault(database: Database, settings: Settings) -> Vault:
    """Return the vault of an installation that already has a secret."""
    connection = await connect(database.as_application("gaji secret"))
    try:
        return matching_vault(await load_marks(connection), settings)
    finally:
        connection.terminate()  # close() would wait for a server that is frozen


def matching_vault(marks: dict[str, bytes], settings: Settings) -> Vault:
    """Return the vault whose secret matches these check values, and complete an interrupted rotation.

    Raises SecretError if there is none.
    """
    number, vault = _find_vault(marks, settings)
    if number == 1:
        os.replace(settings.data / NEXT_KEY_FILE, settings.data / KEY_FILE)
    return vault


def find_vault(marks: dict[str, bytes], settings: Settings) -> Vault:
    """Return the vault whose secret matches these check values, and change nothing. Raises SecretError."""
    return _find_vault(marks, settings)[1]


def _find_vault(marks: dict[str, bytes], settings: Settings) -> tuple[int, Vault]:
    for number, secret in enumerate(_configured_secrets(settings)):
        vault = Vault(_validate(secret))
        if is_sealed_by(vault, marks["check"]):
            return number, _with_kept_keys(secret, vault, marks)
    raise SecretError(
        "the secret does not match this database, which was created with another one. "
        f"Restore the right one as {settings.data / KEY_FILE} or in GAJI_SECRET_KEY"
    )


def _with_kept_keys(secret: str, vault: Vault, marks: dict[str, bytes]) -> Vault:
    """Return the vault with the keys that were kept from earlier secrets."""
    api_keys, audit_keys = marks.get("api_keys"), marks.get("audit_keys")
    keys = b"" if audit_keys is None else vault.open_bytes(audit_keys, AUDIT_KEYS_CELL)
    return Vault(
        secret.encode(),
        None if api_keys is None else vault.open_bytes(api_keys, API_KEYS_CELL),
        [keys[start : start + SECRET_BYTES] for start in range(0, len(keys), SECRET_BYTES)],
    )


def configured_vaults(settings: Settings) -> list[Vault]:
    """Return the vaults of the secrets that are configured, whatever the database. Raises SecretError."""
    return [Vault(_validate(secret)) for secret in _configured_secrets(settings)]


def known_vaults(settings: Settings) -> list[Vault]:
    """Return the vaults of the secrets that are configured, and of earlier ones that rotations left next to them."""
    earlier = [
        Vault(_validate(secret, f"the secret in {path}"))
        for path in sorted(settings.data.glob(f"{KEY_FILE}.until-*"))
        if (secret := _read(path))
    ]
    return [*configured_vaults(settings), *earlier]


async def load_vault(database: Database, settings: Settings) -> Vault | None:
    """Return the vault whose secret matches the database, and change nothing. None if it has no secret yet.

    Raises SecretError.
    """
    marks: dict[str, bytes] = {}
    async with database.owner_connection() as connection:
        with suppress(asyncpg.UndefinedTableError):  # not migrated yet
            marks = await load_marks(connection)
    return find_vault(marks, settings) if "check" in marks else None


def read_secret(settings: Settings) -> str:
    """Return the secret that is configured. Raises SecretError."""
    return _configured_secrets(settings)[0]


def is_sealed_by(vault: Vault, check: bytes) -> bool:
    """Return whether the check value was sealed with this vault's secret."""
    try:
        return vault.open_bytes(check, CHECK_CELL) == CHECK
    except DecryptionError:
        return False


async def load_marks(connection: asyncpg.Connection) -> dict[str, bytes]:
    """Return the check value and the kept keys of the database, encrypted, by purpose."""
    rows = await connection.fetch("SELECT purpose, mark_sealed FROM secret_marks")
    return {row["purpose"]: row["mark_sealed"] for row in rows}


def write_secret(path: Path, secret: str, owner: int | None = None) -> None:
    """Write a secret to a file that only its owner can read. Root can name another owner."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        if owner is not None and os.geteuid() == 0:
            os.fchown(file.fileno(), owner, -1)
        file.write(secret + "\n")
        file.flush()
        os.fsync(file.fileno())


def _create(path: Path) -> str:
    secret = new_secret()
    write_secret(path, secret)
    return secret


def _configured_secrets(settings: Settings) -> list[str]:
    secrets = [settings.secret_key] if settings.secret_key else _read_secrets(settings.data)
    if not secrets:
        raise SecretError(
            f"the secret is missing: restore it as {settings.data / KEY_FILE} or in GAJI_SECRET_KEY. "
            "Without it the identifiers in this database cannot be decrypted"
        )
    return secrets


def _read_secrets(data: Path) -> list[str]:
    return [secret for name in (KEY_FILE, NEXT_KEY_FILE) if (secret := _read(data / name))]


def _read(path: Path) -> str | None:
    return path.read_text().strip() if path.exists() else None


def _validate(secret: str, name: str = "the secret") -> bytes:
    if len(secret) < MIN_SECRET_LENGTH:
        raise SecretError(f"{name} has {len(secret)} characters; it must have at least {MIN_SECRET_LENGTH}")
    return secret.encode()
