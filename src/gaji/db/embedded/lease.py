"""Locks on files that the kernel gives back when their holder ends, however it ends.

Every command that uses the server holds a shared lease. Whether to start or stop the server is decided while
holding another lock alone, so the last one out is known for certain.
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
        _held.add(self)

    @property
    def is_held(self) -> bool:
        """Tell whether this process still holds the lock; a forked child does not."""
        return self._descriptor is not None

    def release(self) -> None:
        """Give the lock back; closing, not unlocking, because a forked child runs this too."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def take_lease(path: Path) -> FileLock:
    """Take a shared lease on the file, creating it if it is missing."""
    return FileLock(_locked(path, fcntl.LOCK_SH))


def is_leased(path: Path) -> bool:
    """Tell whether anyone, this process included, holds a lease on the file."""
    try:
        os.close(_locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return True
    return False


@contextmanager
def held_alone(path: Path) -> Iterator[None]:
    """Hold the file's lock alone, waiting for whoever holds it now, be it a thread of this process."""
    lock = FileLock(_locked(path, fcntl.LOCK_EX))
    try:
        yield
    finally:
        lock.release()


def _locked(path: Path, operation: int) -> int:
    # Python opens files closed-on-exec, so no program that we start holds a lock on our behalf.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _let_go_after_fork() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_let_go_after_fork)
