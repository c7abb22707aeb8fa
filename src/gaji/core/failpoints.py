"""Failpoints: named points at which a test can kill the process, as if its machine had crashed.

A test sets GAJI_TEST_FAILPOINTS to `<name>,<name>…@<folder>`. The first process that reaches a failpoint creates a file
of that name and kills itself with SIGKILL. Later processes find the file and continue. Only tests set the variable.
"""

import os
import signal

VARIABLE = "GAJI_TEST_FAILPOINTS"

_names, _, _FOLDER = os.environ.get(VARIABLE, "").rpartition("@")
_NAMES = frozenset(_names.split(",")) - {""}


def failpoint(name: str) -> None:
    """Kill the process if this failpoint is set and reached for the first time."""
    if name not in _NAMES:
        return
    try:
        os.close(os.open(os.path.join(_FOLDER, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
