"""A folder with the archived write-ahead log (WAL) of the embedded server, and with base backups.

With both, the state of any moment since the oldest base backup can be restored. `wal` has the segments of the log.
`base` has one file for each base backup, named after the time at which it was complete and the first segment that it
needs. Both are encrypted. Earlier versions wrote them without encryption, base backups as folders.

PostgreSQL's commands ask Gaji to archive or restore a segment: they create a file `SEGMENT.archive` or
`SEGMENT.restore` in a folder. A process of Gaji renames it to `SEGMENT.taken`, and answers with `SEGMENT.done`. It
deletes the file if it could not archive the segment, or if the segment to restore is not in the archive, and answers
with `SEGMENT.refused` if it could not restore it.
"""

import re
import secrets
import shlex
import shutil
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import is_leftover, private_folder, require_reachable
from gaji.db.embedded.system_user import SystemUser

ARCHIVE_TIMEOUT_S = 60
"""The time after which a segment is archived even if it is not full. At most these changes are lost with a disk."""
_NAME = "%Y%m%dT%H%M%SZ"
_BASE_BACKUP = re.compile(r"([0-9]{8}T[0-9]{6}Z)(?:-([0-9A-F]{24})\.encrypted)?")
ENCRYPTED = ".encrypted"
_MAX_POLLS = 200
_POLL_S = 0.1
_FATAL_STATUS = 200
"""PostgreSQL ends a recovery if a command has a status above 125."""
_FIRST_SEGMENT = re.compile(rb"START WAL LOCATION: [0-9A-F/]+ \(file ([0-9A-F]{24})\)")


@dataclass(frozen=True)
class BaseBackup:
    """A copy of the cluster, from which the log is replayed."""

    path: Path

    @property
    def is_encrypted(self) -> bool:
        """Whether it is an encrypted file. Earlier versions made folders."""
        return self.path.name.endswith(ENCRYPTED)

    @property
    def completed_at(self) -> datetime:
        """The earliest moment that can be restored from this base backup."""
        return datetime.strptime(self.path.name[:16], _NAME).replace(tzinfo=UTC)

    @property
    def first_segment(self) -> str:
        """The name of the first segment of the log that is needed to restore this base backup."""
        match = _BASE_BACKUP.fullmatch(self.path.name)
        if match is not None and match[2]:
            return match[2]
        return first_segment((self.path / "backup_label").read_bytes())


def first_segment(label: bytes) -> str:
    """Return the name of the first segment that the label of a base backup names."""
    match = _FIRST_SEGMENT.search(label)
    if match is None:
        raise EmbeddedServerError("the base backup does not name the first segment of the log")
    return match[1].decode()


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

    def requests(self, data: Path) -> Path:
        """Return the folder in which the server of a data folder asks for segments to be archived or restored."""
        return data.resolve() / "archiving"

    def archive_settings(self, data: Path) -> dict[str, str]:
        """Return the settings of a server that archives its log."""
        command = self._request(data, "archive", timeout_status=1) + 'test -e "$r.done" && rm -f "$r.done"'
        return {"archive_mode": "on", "archive_command": command, "archive_timeout": str(ARCHIVE_TIMEOUT_S)}

    def recovery_settings(self, data: Path, moment: datetime) -> dict[str, str]:
        """Return the settings of a server that replays the log up to this moment."""
        command = (
            self._request(data, "restore", timeout_status=_FATAL_STATUS)  # else it would seem to be missing
            + f'if test -e "$r.refused"; then exit {_FATAL_STATUS}; fi; test -e "$r.done" && mv "$r.done" "%p"'
        )
        return {
            "restore_command": command,
            "recovery_target_time": moment.isoformat(),
            "recovery_target_action": "promote",
            "hot_standby": "off",  # no connections before the moment is reached
        }

    def _request(self, data: Path, kind: str, timeout_status: int) -> str:
        """Return the beginning of a command: ask for a segment, and wait until there is an answer."""
        return (
            f'r={_quoted(self.requests(data))}/%f; rm -f "$r".*; : > "$r.{kind}"; i=0; '
            f'while test -e "$r.{kind}" || test -e "$r.taken"; do i=$((i+1)); '
            f'if test $i -gt {_MAX_POLLS}; then rm -f "$r".*; exit {timeout_status}; fi; sleep {_POLL_S}; done; '
        )

    def base_backups(self) -> list[BaseBackup]:
        """Return the complete base backups, oldest first."""
        base = self.folder / "base"
        paths = sorted(base.iterdir()) if base.is_dir() else []
        return [BaseBackup(path) for path in paths if _BASE_BACKUP.fullmatch(path.name)]

    def base_backup_path(self, first_segment: str) -> Path:
        """Return the path of a base backup that is complete now."""
        return self.folder / "base" / f"{datetime.now(UTC).strftime(_NAME)}-{first_segment}{ENCRYPTED}"

    def unfinished_base_backup(self) -> Path:
        """Return a path for a base backup that is not complete yet."""
        return self.folder / "base" / f"unfinished-{secrets.token_hex(8)}"

    def delete_unfinished(self, data: Path) -> None:
        """Delete what interrupted processes left behind."""
        base = (self.folder / "base").glob("unfinished*")
        parts = self.segments.glob("*.part")  # of earlier versions
        segments, answers = (folder.glob("unfinished-*") for folder in (self.segments, self.requests(data)))
        for path in (*base, *parts, *segments, *answers):
            if is_leftover(path):
                _delete(path)

    def delete(self, base_backup: BaseBackup) -> None:
        """Delete a base backup."""
        _delete(base_backup.path)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


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
