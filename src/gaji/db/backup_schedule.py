"""Backups at intervals, of which the latest are kept."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from gaji.core.logs import LogLevel, log
from gaji.core.settings import Settings
from gaji.core.system_rights import as_starter
from gaji.db.archive import BackupError
from gaji.db.backup import PART, back_up
from gaji.db.embedded.folders import is_leftover

NAME = "gaji-%Y%m%dT%H%M%SZ.backup"
NAME_PATTERN = re.compile(r"gaji-[0-9]{8}T[0-9]{6}Z\.backup")
INTERVAL = re.compile(r"([1-9][0-9]{0,3})([mhd])")
UNITS = {"m": "minutes", "h": "hours", "d": "days"}
RETRY = timedelta(minutes=10)
"""The time until a failed backup is tried again."""


def parse_interval(text: str) -> timedelta:
    """Return the interval for a text such as `30m`, `24h` or `7d`. Raises BackupError.

    >>> parse_interval("24h")
    datetime.timedelta(days=1)
    """
    match = INTERVAL.fullmatch(text)
    if match is None:
        raise BackupError(f"{text!r} is not an interval such as 30m, 24h or 7d")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def back_up_regularly(
    settings: Settings,
    folder: Path,
    every: timedelta,
    keep: int,
    wait: Callable[[float], object] = time.sleep,
    recipient: X25519PublicKey | None = None,
) -> None:
    """Make a backup whenever the latest one is old enough, and delete all but the latest ones. Does not return."""
    with as_starter():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        with as_starter():
            due_in = _due_in(folder, every)
        if due_in > timedelta():
            wait(due_in.total_seconds())
            continue
        path = folder / datetime.now(UTC).strftime(NAME)
        try:
            manifest = back_up(settings, path, recipient=recipient)
        except Exception as error:
            log(LogLevel.ERROR, "backup failed", error=f"{type(error).__name__}: {error}")
            wait(min(RETRY, every).total_seconds())
        else:
            with as_starter():
                log(LogLevel.INFO, "backup saved", file=path.name, rows=manifest.rows, bytes=path.stat().st_size)
                delete_old_backups(folder, keep)


def delete_old_backups(folder: Path, keep: int) -> None:
    """Delete all scheduled backups in a folder but the latest ones, and what interrupted ones left behind."""
    for path in folder.glob(f"gaji-*.backup{PART}"):
        if NAME_PATTERN.fullmatch(path.name.removesuffix(PART)) and is_leftover(path):
            path.unlink(missing_ok=True)
    for path in _backups(folder)[:-keep]:
        path.unlink()
        log(LogLevel.INFO, "backup deleted", file=path.name)


def _backups(folder: Path) -> list[Path]:
    """Return the scheduled backups, oldest first. Other files in the folder do not count."""
    return sorted(path for path in folder.iterdir() if NAME_PATTERN.fullmatch(path.name))


def _due_in(folder: Path, every: timedelta) -> timedelta:
    backups = _backups(folder)
    if not backups:
        return timedelta()
    made_at = datetime.strptime(backups[-1].name, NAME).replace(tzinfo=UTC)
    return made_at + every - datetime.now(UTC)
