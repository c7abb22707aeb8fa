"""The data folder of root, given to the user as whom servers run.

Only files that Gaji creates change their owner, and links are not followed. Only root can have created files in a
folder of root, and only root can replace that folder, because the folders above it are checked too. The folder itself
changes its owner last, so the next start completes an interrupted change.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from gaji.core.system_rights import ROOT
from gaji.db.embedded import EmbeddedServerError, lease
from gaji.db.embedded.folders import prepare_data_folder
from gaji.db.embedded.system_user import SystemUser
from gaji.db.secret_key import KEY_FILE
from gaji.demo.demo_file import DEMO_FILE

CLUSTER, CONFIGURATION = "postgres", "configuration"
LEASE_FILE, DECISION_FILE = "lease.lock", "decision.lock"
OWN_NAMES = (KEY_FILE, DEMO_FILE, "startup.log", LEASE_FILE, DECISION_FILE, CONFIGURATION)
OWN_PREFIX = f"{KEY_FILE}."
"""Names of what a server reads and writes in the data folder, apart from PostgreSQL's folders."""
OTHER_NAMES = ("lost+found", CLUSTER, "log", "run", "archiving")
OTHER_PREFIXES = ("programs-", "postgres.", "log.new-", "run.new-", "archiving.new-", f"{CONFIGURATION}.new-")
"""Names of what else can be in it. It belongs to PostgreSQL's user already, or others need not write it."""


class Obstacle(Exception):
    """The reason why a process of root cannot run as the other user."""


def configuration_owner(data: Path) -> int | None:
    """Return who starts the embedded database of a data folder, or None if there is none yet."""
    try:
        return (data / CONFIGURATION).lstat().st_uid
    except OSError:
        return None


def create_folder(data: Path, user: pwd.struct_passwd) -> None:
    """Create the data folder of this user. Raises Obstacle."""
    require_folders_of_root(data)
    try:
        prepare_data_folder(data, SystemUser(user.pw_name, user.pw_uid, user.pw_gid, is_dedicated=True))
    except (EmbeddedServerError, OSError) as error:
        raise Obstacle(f"cannot get the data folder {data}: {error}") from error
    hand_over(data, user)  # checks it as well: somebody else may have created it first


def hand_over(data: Path, user: pwd.struct_passwd) -> None:
    """Give the user what root owns in the data folder. Raises Obstacle if it cannot, and then has changed nothing."""
    try:
        if is_given(data, user):
            return
        require_own_folder(data, user)
        _give(data, user)
    except OSError as error:
        raise Obstacle(f"cannot get the data folder {data}: {error.strerror}") from error


def is_given(data: Path, user: pwd.struct_passwd) -> bool:
    """Return whether the user owns the data folder, and root owns nothing that the server uses there."""
    return data.stat().st_uid == user.pw_uid and all(_owner(path) != ROOT for path in _own_paths(data))


def _give(data: Path, user: pwd.struct_passwd) -> None:
    leases = data / LEASE_FILE
    with lease.exclusive_lock(data / DECISION_FILE) if leases.exists() else nullcontext(), ExitStack() as stack:
        if leases.exists() and lease.is_leased(leases):
            if is_given(data, user):  # by another process, since the caller looked
                return
            raise Obstacle(f"cannot get the data folder {data} while other commands of root use it; stop them first")
        descriptors = []
        for path in _own_paths(data):
            is_folder = path.name == CONFIGURATION
            descriptor = stack.enter_context(_opened(path, os.O_DIRECTORY if is_folder else os.O_NONBLOCK))
            status = os.fstat(descriptor)
            if not is_folder and (not stat.S_ISREG(status.st_mode) or status.st_nlink != 1):
                raise Obstacle(f"cannot get {path}, which is not a file with one name; replace it by a copy")
            descriptors.append((descriptor, is_folder, status.st_uid))
        folder = stack.enter_context(_opened(data, os.O_DIRECTORY))
        for descriptor, is_folder, owner in [*descriptors, (folder, False, os.fstat(folder).st_uid)]:
            if owner == ROOT:
                if is_folder:
                    os.fchmod(descriptor, 0o700)
                os.fchown(descriptor, user.pw_uid, user.pw_gid)
                if os.fstat(descriptor).st_uid != user.pw_uid:
                    raise Obstacle(f"cannot get the data folder {data}: its file system does not keep owners of files")


def require_own_folder(data: Path, user: pwd.struct_passwd) -> None:
    """Raise an Obstacle if the folder has anything that is not Gaji's, or that somebody else could have put there."""
    status = data.stat()
    if status.st_uid not in (ROOT, user.pw_uid):
        raise Obstacle(f"cannot get the data folder {data}, which belongs to user ID {status.st_uid}")
    if status.st_mode & 0o022:
        raise Obstacle(f"cannot get the data folder {data}, in which others can write; run: chmod go-w {data}")
    require_folders_of_root(data)
    for path in sorted(data.iterdir()):
        owner = _owner(path)
        if owner is None:
            continue
        if path.name == CLUSTER and owner != user.pw_uid:
            raise Obstacle(f"cannot use the database in {path}, which belongs to user ID {owner}")
        if owner != user.pw_uid and not _is_own(path) and not _is_other(path):
            raise Obstacle(f"cannot get the data folder {data} with {path.name} in it; move that file elsewhere")
        if _is_own(path) and owner not in (ROOT, user.pw_uid):
            raise Obstacle(f"cannot get {path}, which belongs to user ID {owner}")
        if _is_own(path) and path.is_symlink():
            raise Obstacle(f"cannot get {path}, which is a link; replace it by a copy")


def require_folders_of_root(folder: Path) -> None:
    """Raise an Obstacle if somebody else could put another folder in the place of this one, or of one above it."""
    for parent in filter(Path.exists, folder.parents):
        status = parent.stat()
        if status.st_uid != ROOT:
            raise Obstacle(f"cannot get {folder}: {parent} belongs to user ID {status.st_uid}, not to root")
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            raise Obstacle(f"cannot get {folder}: others can write in {parent}; run: chmod go-w {parent}")


def _owner(path: Path) -> int | None:
    """Return who owns a file, or None if it is gone: other commands rename and delete files meanwhile."""
    try:
        return path.lstat().st_uid
    except FileNotFoundError:
        return None


def _own_paths(data: Path) -> list[Path]:
    """Return what a server uses in the data folder, the folder of the configuration last."""
    return sorted(filter(_is_own, data.iterdir()), key=lambda path: path.name == CONFIGURATION)


def _is_own(path: Path) -> bool:
    return path.name in OWN_NAMES or path.name.startswith(OWN_PREFIX)


def _is_other(path: Path) -> bool:
    return path.name in OTHER_NAMES or path.name.startswith(OTHER_PREFIXES)


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
