"""Data folders: created with the right owner and mode. Existing folders are checked but never changed."""

import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.system_user import SystemUser

PORT = 5432  # part of the name of the socket file; the server does not listen on the network
SOCKET_NAME = f".s.PGSQL.{PORT}"
LEFTOVER_AGE_S = 24 * 3600
SOCKET_PATH_LIMIT_BYTES = 103  # of macOS; Linux permits four more


def prepare_data_folder(data: Path, user: SystemUser) -> None:
    """Create the data folder if it is missing. Raises an error if PostgreSQL's user cannot enter it."""
    require_reachable(data, user)
    if data.is_dir():
        return
    _create_parents(data, user)
    try:
        _create(data, os.geteuid(), user.gid, 0o750 if user.is_dedicated else 0o700)
    except OSError:
        if not data.is_dir():  # else another command created it first
            raise


def require_reachable(folder: Path, user: SystemUser) -> None:
    """Raise an error that names the first folder on the path that PostgreSQL's user cannot enter."""
    existing = [step for step in (*reversed(folder.parents), folder) if os.path.exists(step)]
    blocked = user.first_blocked(existing)
    if blocked is not None:
        raise EmbeddedServerError(
            f"PostgreSQL runs as user {user.name}, who cannot enter {blocked} and so cannot reach {folder}; "
            f"choose another data folder with GAJI_DATA, or let {user.name} enter {blocked} (chmod o+x)"
        )


def private_folder(folder: Path, owner: int, group: int, mode: int) -> None:
    """Create a folder with this owner and mode. Raises an error for an existing one that others could change."""
    if not os.path.lexists(folder):
        _create(folder, owner, group, mode)
    status = folder.lstat()
    problem = ""
    if not stat.S_ISDIR(status.st_mode):
        problem = "is not a folder"
    elif status.st_uid != owner:
        problem = f"belongs to user id {status.st_uid}, not {owner}"
    elif stat.S_IMODE(status.st_mode) & ~mode:
        problem = f"has mode {stat.S_IMODE(status.st_mode):o}, which is wider than {mode:o}"
    if problem:
        raise EmbeddedServerError(f"{folder} {problem}; delete it, and the next start creates it again")


def socket_folder(data: Path, user: SystemUser) -> Path:
    """Return the folder of the socket: next to the data, or in the temporary folder if that path is too long."""
    folder = data / "run"
    is_short = len(os.fsencode(folder / SOCKET_NAME)) <= SOCKET_PATH_LIMIT_BYTES
    if is_short and "," not in str(folder):  # clients interpret a comma as a separator of hosts
        return folder
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()).resolve() / f"gaji-{user.uid}-{digest}"


def sync_folder(folder: Path) -> None:
    """Flush the directory entries to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_leftover(path: Path) -> bool:
    """Return whether an unfinished file is so old that what wrote it was interrupted."""
    try:
        return time.time() - path.lstat().st_mtime > LEFTOVER_AGE_S
    except FileNotFoundError:
        return False


def _create_parents(folder: Path, user: SystemUser) -> None:
    for parent in reversed(folder.parents):
        try:
            parent.mkdir()
        except OSError:
            if not parent.is_dir():
                raise
        else:
            if user.is_dedicated:  # independent of the umask, because the user must be able to enter
                parent.chmod(0o755)


def _create(folder: Path, owner: int, group: int, mode: int) -> None:
    # Renamed when complete, so that an interruption leaves no folder with wrong permissions.
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.new-", dir=folder.parent))
    try:
        # By descriptor: the owner of the folder above could replace the new one by a link.
        descriptor = os.open(unfinished, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.geteuid() == 0:
                os.fchown(descriptor, owner, group)
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        unfinished.rename(folder)
    except BaseException:
        unfinished.rmdir()
        raise
