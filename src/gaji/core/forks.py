"""Keep forked processes from inheriting the pipes of programs that other threads run.

A process that is forked without executing another program, such as a server process, inherits all open files, also
those that are closed on execution. If it has the pipes of a program, the thread that runs the program waits for the end
of its output until the forked process ends.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_condition = threading.Condition()
_programs = 0


@contextmanager
def postponed_forks() -> Iterator[None]:
    """Let other threads that fork this process wait until the end of the block."""
    global _programs
    with _condition:
        _programs += 1
    try:
        yield
    finally:
        with _condition:
            _programs -= 1
            _condition.notify_all()


def _begin_fork() -> None:
    _condition.acquire()
    _condition.wait_for(lambda: _programs == 0)


os.register_at_fork(before=_begin_fork, after_in_parent=_condition.release, after_in_child=_condition.release)
