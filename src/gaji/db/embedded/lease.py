"""File locks that the kernel releases when their process ends, however it ends.

Every command that uses the server holds a shared lease. The decision to start or stop the server is made under a
second, exclusive lock, so that the last command is identified reliably.
"""

import fcntl
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileLock:
    """A lock on a file, held until it is released or its process ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor
        _locks.add(self)

    @property
    def is_held(self) -> bool:
        """Whether this process still holds the lock. A forked child does not."""
        return self._descriptor is not None

    def release(self) -> None:
        """Release the lock by closing the file, not by unlocking, because a forked child runs this too."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def take_lease(path: Path) -> FileLock:
    """Take a shared lease on a file, which is created if it is missing."""
    return FileLock(_open_locked(path, fcntl.LOCK_SH))


def is_leased(path: Path) -> bool:
    """Return whether any process, including this one, holds a lease on the file."""
    try:
        os.close(_open_locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return True
    return False


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file. Waits for other processes and threads."""
    lock = FileLock(_open_locked(path, fcntl.LOCK_EX))
    try:
        yield
    finally:
        lock.release()


def _open_locked(path: Path, operation: int) -> int:
    # Python opens files with close-on-exec, so programs that we start do not inherit the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


_locks: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _release_after_fork() -> None:
    for lock in list(_locks):
        lock.release()


os.register_at_fork(after_in_child=_release_after_fork)
