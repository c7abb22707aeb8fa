"""Failpoints: named points at which a test can kill the process, as if its machine had crashed.

A test sets GAJI_TEST_FAILPOINTS to `<name>,<name>…@<folder>`. The first process that reaches a failpoint creates a file
of that name and kills itself with SIGKILL. Later processes find the file and continue. Only tests set the variable.
"""

import os
import signal
from functools import cache

VARIABLE = "GAJI_TEST_FAILPOINTS"


def failpoint(name: str) -> None:
    """Kill the process if this failpoint is set and reached for the first time."""
    names, folder = _configured_failpoints()
    if name not in names:
        return
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@cache
def _configured_failpoints() -> tuple[frozenset[str], str]:
    """Return the names of the failpoints that are set, and the folder."""
    names, _, folder = os.environ.get(VARIABLE, "").rpartition("@")
    return frozenset(names.split(",")) - {""}, folder
