"""A folder with the archived write-ahead log (WAL) of the embedded server, and with base backups.

With both, the state of any moment since the oldest base backup can be restored. `wal` has the log. `base` has one
folder for each base backup, named after the time at which it was complete.
"""

import re
import shlex
import shutil
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import private_folder, require_reachable
from gaji.db.embedded.system_user import SystemUser

ARCHIVE_TIMEOUT_S = 60
"""The time after which a segment is archived even if it is not full. At most these changes are lost with a disk."""
_NAME = "%Y%m%dT%H%M%SZ"
_NAME_PATTERN = re.compile(r"[0-9]{8}T[0-9]{6}Z")
_FIRST_SEGMENT = re.compile(r"^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$", re.MULTILINE)


@dataclass(frozen=True)
class BaseBackup:
    """A copy of the cluster, from which the log is replayed."""

    folder: Path

    @property
    def completed_at(self) -> datetime:
        """The earliest moment that can be restored from this base backup."""
        return datetime.strptime(self.folder.name, _NAME).replace(tzinfo=UTC)

    @property
    def first_segment(self) -> str:
        """The name of the first segment of the log that is needed to restore this base backup."""
        match = _FIRST_SEGMENT.search((self.folder / "backup_label").read_text())
        if match is None:
            raise EmbeddedServerError(f"{self.folder / 'backup_label'} does not name the first segment of the log")
        return match[1]


@dataclass(frozen=True)
class WalArchive:
    """The archive in a folder, which belongs to the user of PostgreSQL."""

    folder: Path

    @property
    def segments(self) -> Path:
        """The folder with the segments of the log."""
        return self.folder / "wal"

    def prepare(self, user: SystemUser) -> None:
        """Create missing folders. Raises an error if others could read the archive, or if it cannot be written."""
        require_reachable(self.folder, user)
        if self.folder.exists():
            _require_private(self.folder, user)
        for folder in (self.folder, self.segments, self.folder / "base"):
            private_folder(folder, user.uid, user.gid, 0o700)

    def archive_settings(self) -> dict[str, str]:
        """Return the settings of a server that archives its log."""
        segment = _quoted(self.segments) + "/%f"
        # A segment is complete under its name. After a crash, one that was already archived is offered again.
        command = (
            f"if test -f {segment}; then cmp -s %p {segment}; "
            f"else cp %p {segment}.part && sync {segment}.part && mv {segment}.part {segment}; fi"
        )
        return {"archive_mode": "on", "archive_command": command, "archive_timeout": str(ARCHIVE_TIMEOUT_S)}

    def recovery_settings(self, moment: datetime) -> dict[str, str]:
        """Return the settings of a server that replays the log up to this moment."""
        return {
            "restore_command": f"cp {_quoted(self.segments)}/%f %p",
            "recovery_target_time": moment.isoformat(),
            "recovery_target_action": "promote",
            "hot_standby": "off",  # no connections before the moment is reached
        }

    def base_backups(self) -> list[BaseBackup]:
        """Return the complete base backups, oldest first."""
        base = self.folder / "base"
        folders = sorted(base.iterdir()) if base.is_dir() else []
        return [BaseBackup(folder) for folder in folders if _NAME_PATTERN.fullmatch(folder.name)]

    def new_base_backup(self) -> Path:
        """Return the folder for a base backup that is not complete yet, without what an interrupted one left."""
        unfinished = self.folder / "base" / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        return unfinished

    def keep_base_backup(self, unfinished: Path) -> BaseBackup:
        """Give a complete base backup its name."""
        return BaseBackup(unfinished.rename(unfinished.with_name(datetime.now(UTC).strftime(_NAME))))


def _require_private(folder: Path, user: SystemUser) -> None:
    status = folder.stat()
    if status.st_uid != user.uid or stat.S_IMODE(status.st_mode) & 0o077:
        raise EmbeddedServerError(
            f"{folder} must belong to user {user.name} alone, because it contains wages; "
            f"run: chown {user.name} {folder} && chmod 700 {folder}"
        )


def _quoted(path: Path) -> str:
    """Return a path for a shell command in PostgreSQL's settings, where a percent sign is special."""
    return shlex.quote(str(path)).replace("%", "%%")
