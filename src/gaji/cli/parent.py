"""The process that started this one, such as `gaji serve`."""

import os
import signal
import threading
import time

PARENT_VARIABLE = "GAJI_PARENT"
"""Holds the ID of that process."""
POLL_S = 0.25
STOP_TIMEOUT_S = 20


def end_with_parent() -> None:
    """End this process when its parent has ended, even if the parent was killed with SIGKILL."""
    parent = int(os.environ.get(PARENT_VARIABLE) or 0)
    if parent in (0, os.getpid()):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_S)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_TIMEOUT_S)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
