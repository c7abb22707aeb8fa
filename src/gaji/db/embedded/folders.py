"""The folders of the data: made with the right owner and mode, or refused; never changed once they exist."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.system_user import SystemUser

PORT = 5432  # names the socket file; nothing listens on the network
SOCKET_NAME = f".s.PGSQL.{PORT}"
SOCKET_PATH_LIMIT_BYTES = 103  # macOS; Linux takes four more


def prepare_data_folder(data: Path, user: SystemUser) -> None:
    """Create the data folder if it is missing, after making sure that PostgreSQL's user can enter it."""
    refuse_if_unreachable(data, user)
    if data.is_dir():
        return
    _create_parents(data, user)
    try:
        _create(data, os.geteuid(), user.gid, 0o750 if user.is_dedicated else 0o700)
    except OSError:
        if not data.is_dir():  # else another command created it first
            raise


def refuse_if_unreachable(folder: Path, user: SystemUser) -> None:
    """Refuse a folder that PostgreSQL's user cannot enter, naming the one on the way that blocks."""
    existing = [step for step in (*reversed(folder.parents), folder) if os.path.exists(step)]
    blocked = user.first_blocked(existing)
    if blocked is not None:
        raise EmbeddedServerError(
            f"PostgreSQL runs as user {user.name}, who cannot enter {blocked} and so cannot reach {folder}; "
            f"choose another data folder with GAJI_DATA, or let {user.name} enter {blocked} (chmod o+x)"
        )


def private_folder(folder: Path, owner: int, group: int, mode: int) -> None:
    """Create the folder with this owner and mode, or refuse an existing one that others could change."""
    if not os.path.lexists(folder):
        _create(folder, owner, group, mode)
    found = folder.lstat()
    problem = ""
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a folder"
    elif found.st_uid != owner:
        problem = f"belongs to user id {found.st_uid}, not {owner}"
    elif stat.S_IMODE(found.st_mode) & ~mode:
        problem = f"has mode {stat.S_IMODE(found.st_mode):o}, which is wider than {mode:o}"
    if problem:
        raise EmbeddedServerError(f"{folder} {problem}; remove it, and the next start makes it again")


def socket_folder(data: Path, user: SystemUser) -> Path:
    """Return where the socket goes: beside the data, or in the temporary folder if that path is too long."""
    beside = data / "run"
    is_short = len(os.fsencode(beside / SOCKET_NAME)) <= SOCKET_PATH_LIMIT_BYTES
    if is_short and "," not in str(beside):  # clients read a comma as the start of a second host
        return beside
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()).resolve() / f"gaji-{user.uid}-{digest}"


def sync_folder(folder: Path) -> None:
    """Make the names in this folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _create_parents(folder: Path, user: SystemUser) -> None:
    for parent in reversed(folder.parents):
        try:
            parent.mkdir()
        except OSError:
            if not parent.is_dir():
                raise
        else:
            if user.is_dedicated:  # whatever our umask, the user must be able to pass
                parent.chmod(0o755)


def _create(folder: Path, owner: int, group: int, mode: int) -> None:
    # Renamed into place when ready: killed in between, there is no folder with half of its permissions.
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.new-", dir=folder.parent))
    try:
        if os.geteuid() == 0:
            os.chown(unfinished, owner, group)
        unfinished.chmod(mode)
        unfinished.rename(folder)
    except BaseException:
        unfinished.rmdir()
        raise
