"""Failpoints: named places at which a test can let a process die, as if its machine had.

A test sets GAJI_TEST_FAILPOINTS to `<name>,<name>…@<folder>`. The first process that comes to such a place makes a file
of that name and ends with SIGKILL; whoever comes there later finds the file and goes on. Nothing but tests sets it.
"""

import os
import signal

VARIABLE = "GAJI_TEST_FAILPOINTS"

_names, _, _FOLDER = os.environ.get(VARIABLE, "").rpartition("@")
_NAMES = frozenset(_names.split(",")) - {""}


def failpoint(name: str) -> None:
    """Die here, if this is such a place and the first time."""
    if name not in _NAMES:
        return
    try:
        os.close(os.open(os.path.join(_FOLDER, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
