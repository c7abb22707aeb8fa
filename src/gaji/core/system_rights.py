"""The rights of a process that root starts.

Servers and workers give up the rights of root for good. A command that uses the data folder of another user acts as
that user there: the server can read what it writes, and links in the folder lead it no further than that user. It has
the rights of root only where it asks for them, for files outside the folder.
"""

import os
import pwd
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

ROOT = 0


class RightsError(Exception):
    """The rights of root could not be given up."""


@dataclass(frozen=True)
class ProgramIdentity:
    """The user, groups and environment of a program that this process starts. None: those of this process."""

    environment: Mapping[str, str]
    user: int | None = None
    group: int | None = None
    extra_groups: Sequence[int] | None = None


@dataclass
class _ActingProcess:
    user: pwd.struct_passwd | None = None
    """The user as whom this process acts although root started it."""
    starter: ProgramIdentity | None = None


_process = _ActingProcess()
rights_lock = threading.RLock()
"""Held in `as_starter`, which changes the rights of all threads. Threads that create files hold it as well."""


def is_root() -> bool:
    """Return whether this process has the rights of root and can give them up."""
    return os.geteuid() == ROOT and sys.platform == "linux"


def become(user: pwd.struct_passwd) -> None:
    """Give up the rights of root for good. Raises RightsError."""
    os.setgroups([user.pw_gid])
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
    _describe_in_environment(user)
    try:
        os.setresuid(ROOT, ROOT, ROOT)
    except PermissionError:
        return
    raise RightsError(f"the process still has the rights of root after changing to the user {user.pw_name}")


def act_as(user: pwd.struct_passwd) -> None:
    """Act as another user from now on, except in `as_starter`. Programs that this process starts have no way back."""
    _process.starter = ProgramIdentity(dict(os.environ), os.getuid(), os.getgid(), os.getgroups())
    os.setgroups([user.pw_gid])
    os.setresgid(user.pw_gid, user.pw_gid, os.getgid())
    os.setresuid(user.pw_uid, user.pw_uid, ROOT)
    _describe_in_environment(user)
    _process.user = user


@contextmanager
def as_starter() -> Iterator[None]:
    """Use the rights of the user who started this command, for files that are not in the data folder."""
    user = _process.user
    if user is None:
        yield
        return
    with rights_lock:
        if os.geteuid() != user.pw_uid:
            yield
            return
        os.seteuid(ROOT)
        os.setegid(ROOT)
        try:
            yield
        finally:
            os.setegid(user.pw_gid)
            os.seteuid(user.pw_uid)


def starter_id() -> int:
    """Return the ID of the user who started this command."""
    return os.getuid() if _process.user is None else ROOT


def starter_identity() -> ProgramIdentity:
    """Return the identity of the user who started this command, for programs that are started in `as_starter`."""
    return _process.starter or ProgramIdentity(dict(os.environ))


def _describe_in_environment(user: pwd.struct_passwd) -> None:
    # Libraries look for files such as .pgpass below HOME, which is not readable if it is root's.
    os.environ |= {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
