"""The secret of an installation: where it is kept, and the proof in the database that it is the right one."""

import os
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.core.vault import CannotOpen, Place, Vault, new_secret
from gaji.db.database import Database

FILE = "secret.key"
NEXT_FILE = "secret.key.next"
"""Written by a rotation before it commits, and renamed after; an interrupted one leaves it behind."""
CHECK = b"gaji"
CHECK_PLACE = Place(0, "secret_marks", 0, "check")
API_KEYS_PLACE = Place(0, "secret_marks", 0, "api_keys")
LEAST_CHARACTERS = 32


class SecretError(Exception):
    """The secret is missing, too short, or not the one that this database was made with."""


async def ensure_secret(connection: asyncpg.Connection, settings: Settings) -> Vault:
    """The vault of this installation. A database that has no secret yet gets one; needs the owner's connection."""
    marks = await _marks(connection)
    if "check" in marks:
        return fitting_vault(marks, settings)
    secret = settings.secret_key or _read(settings.data / FILE) or _create(settings.data / FILE)
    vault = Vault(_checked(secret))
    await connection.execute(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ('check', $1)", vault.seal(CHECK, CHECK_PLACE)
    )
    return vault


async def open_vault(database: Database, settings: Settings) -> Vault:
    """The vault of an installation that has its secret; for a process that only works with it."""
    connection = await asyncpg.connect(**database.as_application("gaji secret"))
    try:
        return fitting_vault(await _marks(connection), settings)
    finally:
        await connection.close()


def fitting_vault(marks: dict[str, bytes], settings: Settings) -> Vault:
    """The vault of the secret that opens these marks; raises SecretError when none at hand does."""
    candidates = [settings.secret_key] if settings.secret_key else _stored(settings.data)
    if not candidates:
        raise SecretError(
            f"the secret is missing: put it back as {settings.data / FILE} or in GAJI_SECRET_KEY. "
            "Without it the identifiers in this database cannot be read"
        )
    for number, secret in enumerate(candidates):
        vault = Vault(_checked(secret))
        if opens(vault, marks["check"]):
            if number == 1:
                os.replace(settings.data / NEXT_FILE, settings.data / FILE)
            carried = marks.get("api_keys")
            return Vault(secret.encode(), vault.open_bytes(carried, API_KEYS_PLACE)) if carried else vault
    raise SecretError(
        "the secret does not fit this database: it was made with another one. "
        f"Put the right one back as {settings.data / FILE} or in GAJI_SECRET_KEY"
    )


def opens(vault: Vault, check: bytes) -> bool:
    """Whether this vault's secret is the one that the check was sealed with."""
    try:
        return vault.open_bytes(check, CHECK_PLACE) == CHECK
    except CannotOpen:
        return False


async def _marks(connection: asyncpg.Connection) -> dict[str, bytes]:
    rows = await connection.fetch("SELECT purpose, mark_sealed FROM secret_marks")
    return {row["purpose"]: row["mark_sealed"] for row in rows}


def write_secret(path: Path, secret: str) -> None:
    """Write a secret where only its owner can read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")
        file.flush()
        os.fsync(file.fileno())


def _create(path: Path) -> str:
    secret = new_secret()
    write_secret(path, secret)
    return secret


def _stored(data: Path) -> list[str]:
    return [secret for name in (FILE, NEXT_FILE) if (secret := _read(data / name))]


def _read(path: Path) -> str | None:
    return path.read_text().strip() if path.exists() else None


def _checked(secret: str) -> bytes:
    if len(secret) < LEAST_CHARACTERS:
        raise SecretError(f"the secret has {len(secret)} characters; it must have at least {LEAST_CHARACTERS}")
    return secret.encode()
