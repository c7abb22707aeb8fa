"""Failpoints: named places at which a test can let a process die, as if its machine had.

A test sets GAJI_TEST_FAILPOINT to `<name>@<file>`. The first process that comes to that place makes the file and ends
with SIGKILL; whoever comes there later finds the file and goes on. Nothing but tests sets it.
"""

import os
import signal

VARIABLE = "GAJI_TEST_FAILPOINT"

_NAME, _, _FILE = os.environ.get(VARIABLE, "").partition("@")


def failpoint(name: str) -> None:
    """Die here, if this is the place and the first time."""
    if name != _NAME:
        return
    try:
        os.close(os.open(_FILE, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
